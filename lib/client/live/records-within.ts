import { type QuantisedRecords, valueAt } from '#lib/codec/quantised-records.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';

/**
 * Indexes of the records that lie in one of the boxes.
 * @param among only these; `undefined`: all
 */
export function recordsWithin(
  records: QuantisedRecords,
  boxes: readonly Bbox[],
  among: Uint32Array | undefined,
): Uint32Array {
  const count = among?.length ?? records.count;
  const within = new Uint32Array(count);
  let found = 0;
  for (let at = 0; at < count; at++) {
    const index = among ? (among[at] as number) : at;
    const lon = valueAt(records, 'lon', index);
    const lat = valueAt(records, 'lat', index);
    if (boxes.some((box) => bboxContains(box, lon, lat))) within[found++] = index;
  }
  return within.subarray(0, found);
}
