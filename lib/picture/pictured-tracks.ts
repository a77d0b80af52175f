import type { Position } from '#lib/model/position.ts';
import type { LabelName } from '#lib/model/record-fields.ts';
import { makeTrackColumns, type TrackColumns } from './track-columns.ts';

/** Tracks at one instant, so that a list and its rows agree. It stays valid until the second next answer. */
export interface TrackMoment {
  /** Epoch ms on the upstream's clock. */
  readonly atMs: number;
  readonly columns: Readonly<TrackColumns>;
  refAt(slot: number): string;
  /** A label of the last received position, which this does not make. */
  labelAt(slot: number, name: LabelName): string | undefined;
  positionAt(slot: number): Position;
}

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

/** Where and when the track of each slot began: epoch ms, NaN if unknown. */
export interface FirstObservations {
  atMs(slot: number): number;
  lon(slot: number): number;
  lat(slot: number): number;
}

/** The tracks that the map can draw. A slot is one track's for as long as the track exists. */
export interface PicturedTracks {
  readonly columns: TrackColumns;
  readonly beginnings: FirstObservations;
  /** The slot of a track; `undefined` if unknown, removed, or not shown at this time. */
  slotOf(ref: string): number | undefined;
  refAt(slot: number): string;
  labelAt(slot: number, name: LabelName): string | undefined;
  /** The last received position, the same object until it is replaced. */
  positionAt(slot: number): Position;
  /** Copies the tracks. @param atMs epoch ms */
  momentAt(atMs: number): TrackMoment;
}
