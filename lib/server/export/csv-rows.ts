import 'server-only';
import { stringify } from 'csv-stringify/sync';

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/**
 * Text that a spreadsheet would run as a formula (OWASP: CSV Injection), also in full width, or behind spaces or invisible characters,
 * which some spreadsheets drop.
 */
const RUNS = /^(?:[\t\r\n]|[\s\p{C}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/u;

/** Rows by RFC 4180. Numbers are no text: a negative one stays a number. */
export function csvRows(values: readonly (readonly unknown[])[]): string {
  return stringify([...values], {
    record_delimiter: 'windows',
    // By itself it quotes no line break but the delimiter, and spreadsheets begin a row at each.
    quoted_match: /[\r\n]/,
    cast: { boolean: String, string: (text) => (RUNS.test(text) ? `'${text}` : text) },
  });
}
