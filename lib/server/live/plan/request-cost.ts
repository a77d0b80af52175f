import 'server-only';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';

/** A tenth is left for traffic that grows until the next plan. */
export const RECORDS_PER_REQUEST = 0.9 * LIMIT_MAX;

/** The tolerance for sums of fractions: 900.0000000001 records are 900. */
const ROUNDING_RECORDS = 1e-6;

/** @returns pages, at least 1 */
export function requestCost(expectedRecords: number): number {
  return Math.max(1, Math.ceil((expectedRecords - ROUNDING_RECORDS) / RECORDS_PER_REQUEST));
}

/** The expected records of a box. They are never negative, and additive for boxes that share no area. */
export type Expected = (bbox: Bbox) => number;
