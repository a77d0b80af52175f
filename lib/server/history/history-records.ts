import 'server-only';
import type { QuantisedRecords } from '#lib/api/compact/quantised-records.ts';
import type { PartLine } from '#lib/api/history-line.ts';
import { apiRecord } from '../api-record.ts';
import { historyPositions } from './history-positions.ts';

/** Kept observations under the contract's field names, null for "not reported". */
export function historyRecords(records: QuantisedRecords): PartLine['records'] {
  return historyPositions(records).map(apiRecord);
}
