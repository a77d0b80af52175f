import type { Position } from '#lib/model/position.ts';
import { makeTrackColumns, type TrackColumns } from './track-columns.ts';

/**
 * The tracks as they were at one moment. What comes in or is sought afterwards changes nothing in it, so that a list of tracks,
 * and what each of its rows says, are of the same moment whenever they are read.
 */
export interface TrackMoment {
  /** Milliseconds of the epoch on the upstream's clock. */
  readonly atMs: number;
  readonly columns: Readonly<TrackColumns>;
  refAt(slot: number): string;
  /** The last received position in a slot that is used. */
  positionAt(slot: number): Position;
}

/** Before the first answer. */
export const NO_TRACKS: TrackMoment = {
  atMs: 0,
  columns: makeTrackColumns(0),
  refAt: neverUsed,
  positionAt: neverUsed,
};

function neverUsed(slot: number): never {
  throw new RangeError(`slot ${slot} was never used`);
}

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
  /** A copy of what is known now, which is of the moment `atMs`. */
  momentAt(atMs: number): TrackMoment;
}
