import 'server-only';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { PastPart } from '../parts/history-part.ts';

export interface ReadCount {
  /** Number of records of the requested layer. */
  readonly records: number;
  /** Whether more exist, or the source was overfull before it filtered by layer. */
  readonly truncated: boolean;
  /** The times of the records, in any order. If missing, records count as evenly spread. */
  readonly observedAts?: readonly UpstreamInstant[];
  readonly cached?: boolean;
}

/** `incomplete`: truncated at the smallest window and box, and so final. */
export type PartStatus = 'waiting' | 'loading' | 'complete' | 'incomplete' | 'failed' | 'not-requested';

export interface PartState extends PastPart {
  readonly status: PartStatus;
  readonly records: number;
}

/** Milliseconds between a window and an instant; of two windows that touch it, the later one is nearer. */
export function distanceMs({ start, end }: Window, from: UpstreamInstant): number {
  if (start >= from) return msBetween(from, start);
  return end > from ? 0 : msBetween(end, from) + 1;
}
