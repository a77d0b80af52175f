import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Frame } from './frame.ts';
import type { LayerPeriod } from './period.ts';
import type { Rows } from './rows.ts';
import type { SealedSegments } from './sealed-segments.ts';
import type { SegmentEntry } from './segment/segment-entry.ts';

/**
 * Where a past is kept: frames of the periods that still take something, and a segment of each that is over. What changes
 * it rejects with what the system says, and then nothing was changed.
 */
export interface PastStore {
  readonly segments: SealedSegments;
  /** Of the frames. */
  readonly frameBytes: number;
  append(frame: Frame): Promise<void>;
  /** Makes what was appended survive the machine. */
  sync(): Promise<void>;
  /** Writes the segment of a period, and adds it to `segments`. */
  seal(period: LayerPeriod, rows: Rows, isWhole: boolean): Promise<void>;
  /** Deletes the frames of a period of which both layers are sealed. */
  deleteFrames(start: UpstreamInstant): Promise<void>;
  /** Deletes segments, oldest first, as long as the next one is to go. `bytes` is what all segments still take. */
  deleteWhile(isToGo: (oldest: SegmentEntry, bytes: number) => boolean): Promise<void>;
}
