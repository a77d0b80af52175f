import type { Position } from '#lib/model/position.ts';
import type { TrackColumns } from './track-columns.ts';

/**
 * The tracks that a picture is made from, live or at a replay's cursor: whoever shows them need not know which. A slot stands
 * for one track for as long as that track is there.
 */
export interface PicturedTracks {
  readonly columns: TrackColumns;
  /** `undefined` where the track is not there, or not any more (live), or not at this moment (replay). */
  slotOf(ref: string): number | undefined;
  refAt(slot: number): string;
  /** The last received position in a slot that is used; the same object until another takes its place. */
  positionAt(slot: number): Position;
}
