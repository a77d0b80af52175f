/**
 * The form of the contract's labels (Position: confidence, emergency_state): its examples are short words such as `multi_station`. New
 * words are accepted. Spaces, punctuation and invisible characters are not: labels reach screens, spreadsheets and terminals, where they
 * could run or reorder the text around them. 64 characters fit a line of the track card.
 */
const LABEL = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;

export function isLabel(text: string): boolean {
  return LABEL.test(text);
}
