/** `8 214`, with narrow no-break spaces, whatever the browser's language. */
export function groupedNumber(value: number): string {
  return value.toLocaleString('en').replaceAll(',', '\u202f');
}
