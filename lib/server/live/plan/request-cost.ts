import 'server-only';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';

/** Expected records per planned page: a tenth of the page is left for traffic that grows until the next plan. */
export const RECORDS_PER_REQUEST = 0.9 * LIMIT_MAX;

/** Sums of fractions of cells are inexact in the last digits: 900.0000000001 expected records are 900. */
const ROUNDING_RECORDS = 1e-6;

/** Requests (pages) that one refresh of an area takes, at least 1. */
export function requestCost(expectedRecords: number): number {
  return Math.max(1, Math.ceil((expectedRecords - ROUNDING_RECORDS) / RECORDS_PER_REQUEST));
}

/** How many records to expect in a box: never negative, and additive for boxes that share no area. */
export type Expected = (bbox: Bbox) => number;
