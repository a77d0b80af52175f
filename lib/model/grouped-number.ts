/** Groups digits by narrow no-break spaces, whatever the browser's language: `8 214`. */
export function groupedNumber(value: number): string {
  return value.toLocaleString('en').replaceAll(',', '\u202f');
}
