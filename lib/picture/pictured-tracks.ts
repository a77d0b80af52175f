import type { Position } from '#lib/model/position.ts';
import type { LabelName } from '#lib/model/record-fields.ts';
import { makeTrackColumns, type TrackColumns } from './track-columns.ts';

/** One instant, so that a list and its rows agree. Answers leave it valid until the one after the next. */
export interface TrackMoment {
  /** Epoch ms on the upstream's clock. */
  readonly atMs: number;
  readonly columns: Readonly<TrackColumns>;
  refAt(slot: number): string;
  /** Of the last received position, without making it. */
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

/** A slot is one track's for as long as the track exists. */
export interface PicturedTracks {
  readonly columns: TrackColumns;
  readonly beginnings: FirstObservations;
  /** `undefined` if unknown, removed, or not shown at this time. */
  slotOf(ref: string): number | undefined;
  refAt(slot: number): string;
  labelAt(slot: number, name: LabelName): string | undefined;
  /** The last received one; the same object until it is replaced. */
  positionAt(slot: number): Position;
  /** A copy. @param atMs epoch ms */
  momentAt(atMs: number): TrackMoment;
}
