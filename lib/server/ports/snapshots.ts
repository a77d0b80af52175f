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
  /** Of the newest part. */
  readonly readAt: UpstreamInstant;
  /** Why it is not everything the service had; `undefined` for a complete refresh. */
  readonly incomplete: LiveReason | undefined;
  /** Records that broke the contract and were dropped. */
  readonly unreadable: number;
}

/** What a viewer needs to have a snapshot: nothing, deltas in order, or one full frame. Each is compressed. */
export interface AreaBodies {
  /** Under this name viewers keep the frame: the same at every server, and another one where a sequence could come again for other records. */
  readonly name: string;
  readonly deltas: boolean;
  readonly bodies: readonly Uint8Array[];
}

export interface AreaSnapshot extends AreaRecords {
  /** Grows with each snapshot of the area; never repeated under its name, even after it was forgotten. */
  readonly sequence: number;
  /** @param cachedSequence of the named area, as the viewer has it; `undefined` where it has none */
  bodies(cachedSequence: (name: string) => number | undefined): Promise<AreaBodies>;
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
  /** The upstream's clock was set back by that much. What was read keeps its age, or its age is not known until it is read again. */
  setBack(ms: number): void;
  /** Forgets snapshots fetched before that, except those of areas in `keep`. */
  forgetBefore(fetchedBefore: UpstreamInstant, keep: ReadonlySet<string>): Promise<void>;
}
