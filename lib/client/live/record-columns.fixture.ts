import type { LiveRecord } from '#lib/api/live-answer.ts';
import type { RecordColumns } from '#lib/codec/record-columns.ts';
import { byName, FLAG_DRONE, FLAG_NAMES, LABEL_NAMES, NUMBER_NAMES, RECORD_FIELDS } from '#lib/model/record-fields.ts';

export function recordColumns(records: readonly LiveRecord[]): RecordColumns {
  const count = records.length;
  const labels: (string | undefined)[] = [undefined];
  const labelIndex = new Map<string, number>();
  const indexOf = (label: string | null): number => {
    if (label === null) return 0;
    let index = labelIndex.get(label);
    if (index === undefined) {
      index = labels.push(label) - 1;
      labelIndex.set(label, index);
    }
    return index;
  };
  const numbers = (read: (record: LiveRecord) => number | null): Float64Array =>
    Float64Array.from(records, (record) => read(record) ?? Number.NaN);

  return {
    count,
    refs: records.map((record) => record.public_track_id),
    ...byName(LABEL_NAMES, (name) => Uint16Array.from(records, (record) => indexOf(record[RECORD_FIELDS[name].wire]))),
    labels,
    flags: Uint8Array.from(records, (record) =>
      FLAG_NAMES.reduce(
        (flags, name) => flags | (record[RECORD_FIELDS[name].wire] ? RECORD_FIELDS[name].bit : 0),
        record.track_kind === 'drone' ? FLAG_DRONE : 0,
      ),
    ),
    observedAtMs: numbers((record) => Date.parse(record.observed_at)),
    staleAfterMs: numbers((record) => (record.stale_after === undefined ? null : Date.parse(record.stale_after))),
    ...byName(NUMBER_NAMES, (name) => numbers((record) => record[RECORD_FIELDS[name].wire])),
  };
}
