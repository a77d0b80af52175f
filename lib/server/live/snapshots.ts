import 'server-only';
import type { LiveReason } from '#lib/api/layer-reason.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

/** West < east, no side over the contract's live limit. */
export interface Area {
  /** The same in every process. */
  readonly key: string;
  readonly layer: Layer;
  readonly bbox: Bbox;
}

export interface AreaRecords {
  readonly area: Area;
  readonly positions: ReadonlyMap<string, Position>;
  /** Of the oldest page. */
  readonly fetchedAt: UpstreamInstant;
  /** Of the newest page. */
  readonly readAt: UpstreamInstant;
  /** `undefined` for a complete refresh. */
  readonly incomplete: LiveReason | undefined;
  /** Dropped, because they broke the contract. */
  readonly unreadable: number;
  /** Of the newest read; `undefined` where the upstream reports none. */
  readonly reception?: Reception | undefined;
}

/** None, deltas in order, or one full frame; compressed. */
export interface AreaBodies {
  readonly deltas: boolean;
  readonly bodies: readonly Uint8Array[];
}

export interface AreaSnapshot extends AreaRecords {
  /** The same on every server. */
  readonly name: string;
  /** Name and sequence mean the same records everywhere. */
  readonly sequence: number;
  full(): Promise<Uint8Array>;
  /** @param cachedSequence `undefined` where the viewer has none */
  bodies(cachedSequence: number | undefined): Promise<AreaBodies>;
}

export interface Snapshots {
  /** Positions since the start. An area has each once; areas that overlap share some. */
  readonly observed: number;
  /** Newest fetch first. */
  intersecting(layer: Layer, bbox: Bbox): readonly AreaSnapshot[];
  of(area: Area): AreaSnapshot | undefined;
  put(records: AreaRecords): AreaSnapshot;
  /** Snapshots keep their age. */
  setBack(ms: number): void;
  /** Except those of areas in `keep`. */
  forgetBefore(fetchedBefore: UpstreamInstant, keep: ReadonlySet<string>): void;
}
