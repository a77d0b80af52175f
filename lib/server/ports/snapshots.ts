import 'server-only';
import type { LiveReason } from '#lib/api/layer-reason.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Lease } from './lease.ts';

/** A rectangle of one layer that is read by one refresh: west < east, no side over the contract's live limit. */
export interface Area {
  /** Layer and corners: the same rectangle has the same key in every process. */
  readonly key: string;
  readonly layer: Layer;
  readonly bbox: Bbox;
}

/** The result of an area's refresh. */
export interface AreaRecords {
  readonly area: Area;
  readonly positions: ReadonlyMap<string, Position>;
  /** Of the oldest part, where pages of two refreshes are combined. */
  readonly fetchedAt: UpstreamInstant;
  /** Why it is not everything the service had; `undefined` for a complete refresh. */
  readonly incomplete: LiveReason | undefined;
  /** Records that broke the contract and were dropped. */
  readonly unreadable: number;
}

export interface AreaSnapshot extends AreaRecords {
  /** Grows by one with each snapshot of the area while it is kept; never repeated, even after it was forgotten. */
  readonly sequence: number;
}

/** The latest records of each area. Reading them costs no upstream request. */
export interface Snapshots {
  /** Snapshots that share a point with the box, newest fetch first. */
  intersecting(layer: Layer, bbox: Bbox): Promise<readonly AreaSnapshot[]>;
  /**
   * `undefined` where it was refused, because a newer lease has already written the area.
   * @throws SharedStoreFailure where it is not known to be written
   */
  put(records: AreaRecords, lease: Lease): Promise<AreaSnapshot | undefined>;
  /** Forgets snapshots fetched before that, except those of areas in `keep`. */
  forgetBefore(fetchedBefore: UpstreamInstant, keep: ReadonlySet<string>): Promise<void>;
}
