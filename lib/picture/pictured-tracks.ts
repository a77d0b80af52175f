import type { Position } from '#lib/model/position.ts';
import type { LabelName } from '#lib/model/record-fields.ts';
import { makeTrackColumns, type TrackColumns } from './track-columns.ts';

/**
 * A snapshot of the tracks at one instant, so that a list of tracks and its rows always show the same instant. No seek changes it, and
 * no answer until the answer after the next: by then the next one is shown.
 */
export interface TrackMoment {
  /** Epoch milliseconds on the upstream's clock. */
  readonly atMs: number;
  readonly columns: Readonly<TrackColumns>;
  refAt(slot: number): string;
  /** A label of the last received position in a used slot, without making its `Position`. */
  labelAt(slot: number, name: LabelName): string | undefined;
  positionAt(slot: number): Position;
}

/** Before the first answer. */
export const NO_TRACKS: TrackMoment = {
  atMs: 0,
  columns: makeTrackColumns(0),
  refAt: neverUsed,
  labelAt: neverUsed,
  positionAt: neverUsed,
};

function neverUsed(slot: number): never {
  throw new RangeError(`slot ${slot} was never used`);
}

/** Where and when tracks were received first, by slot; NaN where that is not known. Times are epoch milliseconds. */
export interface FirstObservations {
  atMs(slot: number): number;
  lon(slot: number): number;
  lat(slot: number): number;
}

/**
 * The tracks that a picture is drawn from, live or at a replay's cursor; consumers need not know which. A slot identifies one
 * track for as long as the track exists.
 */
export interface PicturedTracks {
  readonly columns: TrackColumns;
  readonly beginnings: FirstObservations;
  /** `undefined` if the track is unknown, was removed (live), or is not shown at this time (replay). */
  slotOf(ref: string): number | undefined;
  refAt(slot: number): string;
  /** A label of the last received position in a used slot, without making its `Position`. */
  labelAt(slot: number, name: LabelName): string | undefined;
  /** The last received position in a used slot; the same object until it is replaced. */
  positionAt(slot: number): Position;
  /** A copy of the current state. @param atMs the instant that it shows, epoch milliseconds */
  momentAt(atMs: number): TrackMoment;
}
