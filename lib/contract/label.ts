/**
 * The form of the contract's labels (Position: confidence, emergency_state), for example `multi_station`. New
 * words are accepted. Spaces, punctuation and invisible characters are refused: on screens, in spreadsheets and in terminals,
 * they could run as code or reorder the text around them. 64 characters fit a line of the track card.
 */
const LABEL = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;

export function isLabel(text: string): boolean {
  return LABEL.test(text);
}
