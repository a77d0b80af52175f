import 'server-only';
import type { LiveReason } from '#lib/api/layer-reason.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

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

/** The bodies that bring a viewer to a snapshot: none, deltas in order, or one full frame. Each is compressed. */
export interface AreaBodies {
  readonly deltas: boolean;
  readonly bodies: readonly Uint8Array[];
}

export interface AreaSnapshot extends AreaRecords {
  /** Viewers keep the records under this name. It is the same on every server. */
  readonly name: string;
  /** Grows with each snapshot of the name: name and sequence together mean the same records everywhere. */
  readonly sequence: number;
  /** All records, encoded and compressed. */
  full(): Promise<Uint8Array>;
  /** @param cachedSequence which one of its name the viewer has; `undefined` where it has none */
  bodies(cachedSequence: number | undefined): Promise<AreaBodies>;
}

/** The latest records of each area. Reading them costs no upstream request. */
export interface Snapshots {
  /** Snapshots that share a point with the box, newest fetch first. */
  intersecting(layer: Layer, bbox: Bbox): readonly AreaSnapshot[];
  /** The latest one of an area. */
  of(area: Area): AreaSnapshot | undefined;
  put(records: AreaRecords): AreaSnapshot;
  /** The upstream's clock was set back by that much. Snapshots keep their age. */
  setBack(ms: number): void;
  /** Forgets snapshots fetched before that, except those of areas in `keep`. */
  forgetBefore(fetchedBefore: UpstreamInstant, keep: ReadonlySet<string>): void;
}
