/** `8 214`, grouped by narrow no-break spaces, whatever the browser's language. */
export function groupedNumber(value: number): string {
  return value.toLocaleString('en').replaceAll(',', '\u202f');
}
