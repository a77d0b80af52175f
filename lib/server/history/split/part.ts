import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';

/** What one request asks for. The box does not cross 180°; its edges are closed, as they are for the upstream. */
export interface Part {
  readonly bbox: Bbox;
  readonly window: Window;
}

export interface PartAnswer {
  /** Records that came, of the asked layer. */
  readonly records: number;
  /** More is there than what came, or the source was overfull before it was filtered to the layer. */
  readonly truncated: boolean;
  /** When they were observed, in any order. Without it the splitter takes them as spread evenly over the window. */
  readonly observedAts?: readonly UpstreamInstant[];
  /** True where no request was made for it, so that none is counted. */
  readonly cached?: boolean;
}

/**
 * `split`: an answer that covered it was truncated, and it is asked again in smaller parts. `incomplete`: truncated at the
 * smallest window and box, so that it stays so. `not-asked`: no request is left for it.
 */
export type PartStatus = 'waiting' | 'loading' | 'complete' | 'split' | 'incomplete' | 'failed' | 'not-asked';

export interface PartState extends Part {
  readonly status: PartStatus;
  /** That came; 0 where there was no answer yet. */
  readonly records: number;
}
