import 'server-only';
import { stringify } from 'csv-stringify/sync';
import { formatBbox } from '#lib/geo/bbox.ts';
import { CSV_COLUMNS, EXPORTED_FIELDS, fieldOf, TRAIL_FIELDS } from './export-columns.ts';
import type { ExportWriter } from './export-item.ts';

const noFields = EXPORTED_FIELDS.map(() => null);

/** RFC 4180, with a header. A row is a position, an earlier one of a trail, or a gap. */
export function makeCsvWriter(): ExportWriter {
  return {
    mediaType: 'text/csv; charset=utf-8; header=present',
    start: () => rows([CSV_COLUMNS]),
    item(item) {
      if (item.kind === 'gap') {
        const { layer, bbox, window, reason } = item;
        return rows([['gap', layer, ...noFields, false, formatBbox(bbox), window?.start, window?.end, reason]]);
      }
      const { row, layer, complete, records } = item;
      const isKept = (name: (typeof EXPORTED_FIELDS)[number]) => row === 'position' || TRAIL_FIELDS.includes(name);
      return rows(
        records.map((record) => [
          row,
          layer,
          ...EXPORTED_FIELDS.map((name) => (isKept(name) ? fieldOf(record, name) : null)),
          complete,
          null,
          null,
          null,
          null,
        ]),
      );
    },
    end: () => '',
  };
}

/** Text that a spreadsheet would run as a formula (OWASP: CSV Injection). */
const RUNS = /^(?:[\t\r\n]|[\s\p{C}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/u;

/** Numbers are no text: a negative one stays a number. */
function rows(values: readonly (readonly unknown[])[]): string {
  return stringify([...values], {
    record_delimiter: 'windows',
    cast: { boolean: String, string: (text) => (RUNS.test(text) ? `'${text}` : text) },
  });
}
