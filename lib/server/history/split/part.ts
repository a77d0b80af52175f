import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Part } from '../parts/history-part.ts';

export interface PartAnswer {
  /** Of the requested layer. */
  readonly records: number;
  /** More exist, or the source was overfull before it filtered by layer. */
  readonly truncated: boolean;
  /** In any order. If missing, records count as evenly spread. */
  readonly observedAts?: readonly UpstreamInstant[];
  readonly cached?: boolean;
}

/** `incomplete`: truncated at the smallest window and box, and so final. */
export type PartStatus = 'waiting' | 'loading' | 'complete' | 'incomplete' | 'failed' | 'not-requested';

export interface PartState extends Part {
  readonly status: PartStatus;
  readonly records: number;
}
