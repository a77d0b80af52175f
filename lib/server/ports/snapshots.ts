import 'server-only';
import type { LiveReason } from '#lib/api/layer-reason.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Lease } from './lease.ts';

/** A rectangle of one layer that is asked for as one refresh: west < east, no side over the contract's live limit. */
export interface Area {
  /** Layer and corners: the same rectangle has the same key in every process. */
  readonly key: string;
  readonly layer: Layer;
  readonly bbox: Bbox;
}

/** What a refresh of an area brought. */
export interface AreaRecords {
  readonly area: Area;
  readonly positions: ReadonlyMap<string, Position>;
  /** Of the oldest part, where pages of two refreshes stand together. */
  readonly fetchedAt: UpstreamInstant;
  /** Why it is not everything the service had; `undefined` for a complete refresh. */
  readonly incomplete: LiveReason | undefined;
  /** Records that broke the contract and were left out. */
  readonly unreadable: number;
}

export interface AreaSnapshot extends AreaRecords {
  /** One more with each snapshot of the area while it is remembered; never the same twice, even after it was forgotten. */
  readonly sequence: number;
}

/** The latest records of each area. Nothing that is read from here costs the upstream a request. */
export interface Snapshots {
  /** Those that share a point with the box, newest fetch first. */
  intersecting(layer: Layer, bbox: Bbox): Promise<readonly AreaSnapshot[]>;
  /** `undefined`: refused, since a newer lease has written the area already. */
  put(records: AreaRecords, lease: Lease): Promise<AreaSnapshot | undefined>;
  /** Forgets snapshots whose fetch is older than that, unless the area is in `keep`. */
  forgetBefore(fetchedBefore: UpstreamInstant, keep: ReadonlySet<string>): Promise<void>;
}
