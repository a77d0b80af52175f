/** Text that a spreadsheet would run as a formula (OWASP: CSV Injection). */
const RUNS = /^(?:[\t\r\n]|[\s\p{C}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/u;

/** A cell of RFC 4180; empty for what is not known. Text that a spreadsheet would run gets an apostrophe. */
export function csvCell(value: string | number | boolean | null | undefined): string {
  if (typeof value !== 'string') return value === undefined || value === null ? '' : String(value);
  const text = RUNS.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
