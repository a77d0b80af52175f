import 'server-only';
import { formatBbox } from '#lib/geo/bbox.ts';
import { CSV_TYPE, csvRows } from '#lib/text/csv.ts';
import { CSV_COLUMNS, EXPORTED_FIELDS, fieldOf, TRAIL_FIELDS } from './export-columns.ts';
import type { ExportWriter } from './export-item.ts';

const noFields = EXPORTED_FIELDS.map(() => null);

/** RFC 4180, with a header. A row is a position, an earlier one of a trail, or a gap. */
export function makeCsvWriter(): ExportWriter {
  return {
    mediaType: CSV_TYPE,
    start: () => csvRows([CSV_COLUMNS]),
    item(item) {
      if (item.kind === 'gap') {
        const { layer, bbox, window, reason } = item;
        return csvRows([['gap', layer, ...noFields, false, formatBbox(bbox), window?.start, window?.end, reason]]);
      }
      const { row, layer, complete, records } = item;
      const isKept = (name: (typeof EXPORTED_FIELDS)[number]) => row === 'position' || TRAIL_FIELDS.includes(name);
      return csvRows(
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
