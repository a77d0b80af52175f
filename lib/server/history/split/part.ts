import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Part } from '../parts/history-part.ts';

export interface PartAnswer {
  /** Records returned for the requested layer. */
  readonly records: number;
  /** There are more than were returned, or the source was overfull before it filtered by layer. */
  readonly truncated: boolean;
  /** Observation times, in any order. If missing, the splitter takes the records as evenly spread over the window. */
  readonly observedAts?: readonly UpstreamInstant[];
  /** True where no request was made for it, so that none is counted. */
  readonly cached?: boolean;
}

/**
 * `incomplete`: truncated at the smallest window and box, and so final. `not-requested`: no request is left for it.
 */
export type PartStatus = 'waiting' | 'loading' | 'complete' | 'incomplete' | 'failed' | 'not-requested';

export interface PartState extends Part {
  readonly status: PartStatus;
  /** Records returned; 0 where there was no answer yet. */
  readonly records: number;
}
