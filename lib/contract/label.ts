/**
 * Position: confidence, emergency_state. Spaces, punctuation and invisible characters could run as code or reorder
 * text. 64 characters fit a line of the track card.
 */
const LABEL = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;

export function isLabel(text: string): boolean {
  return LABEL.test(text);
}
