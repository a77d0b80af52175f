export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

export type CsvValue = string | number | boolean | null | undefined;

/**
 * Text that a spreadsheet would run as a formula (OWASP: CSV Injection), also in full width, or behind spaces or
 * invisible characters, which some spreadsheets drop.
 */
const FORMULA = /^(?:[\t\r\n]|[\s\p{C}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/u;

/**
 * Rows by RFC 4180, each with its line break. An unknown value is an empty cell. An apostrophe before a formula keeps
 * spreadsheets from running it. Numbers are not text: a negative one stays a number.
 */
export function csvRows(rows: readonly (readonly CsvValue[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  // A line break outside quotes would begin a row, whose first cell could be a formula.
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
