import 'server-only';
import type { LiveReason } from '#lib/api/layer-reason.ts';
import { type Bbox, formatBbox, intersectBbox, subtractBbox } from '#lib/geo/bbox.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

/** The box has west < east, and no side over the contract's live limit. */
export interface LiveArea {
  /** The key of the area, the same in every process. */
  readonly key: string;
  readonly layer: Layer;
  readonly bbox: Bbox;
}

export function areaOf(layer: Layer, bbox: Bbox): LiveArea {
  return { key: `${layer} ${formatBbox(bbox)}`, layer, bbox };
}

export interface AreaRecords {
  readonly area: LiveArea;
  readonly positions: ReadonlyMap<string, Position>;
  /** When the oldest page was made. */
  readonly fetchedAt: UpstreamInstant;
  /** When the newest page was made. */
  readonly readAt: UpstreamInstant;
  /** Why records are missing; `undefined` for a complete refresh. */
  readonly incomplete: LiveReason | undefined;
  /** Number of records that were dropped, because they broke the contract. */
  readonly unreadable: number;
  /** The reception of the newest read; `undefined` where the upstream reports none. */
  readonly reception?: Reception | undefined;
}

/** The missing records of a viewer, compressed: nothing, deltas in order, or one full frame. */
export interface AreaBodies {
  readonly deltas: boolean;
  readonly bodies: readonly Uint8Array[];
}

export interface AreaSnapshot extends AreaRecords {
  /** The name of the snapshot, the same on every server. */
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
  /** The snapshot that was fetched last is first. */
  intersecting(layer: Layer, bbox: Bbox): readonly AreaSnapshot[];
  of(area: LiveArea): AreaSnapshot | undefined;
  put(records: AreaRecords): AreaSnapshot;
  /** After the clock was set back by `ms`: moves all times with it, so that snapshots keep their age. */
  setBack(ms: number): void;
  /** Drops older snapshots, except those of areas in `keep`. */
  forgetBefore(fetchedBefore: UpstreamInstant, keep: ReadonlySet<string>): void;
}

export interface CoveredPart {
  readonly snapshot: AreaSnapshot;
  /** Boxes that do not overlap. */
  readonly regions: readonly Bbox[];
}

export interface Cover {
  readonly parts: readonly CoveredPart[];
  readonly missing: readonly Bbox[];
}

/**
 * The newest snapshot wins, so that older records cannot come back. One with pages to come is the last choice:
 * otherwise tracks of its later pages would vanish.
 * @param box does not cross 180°
 * @param newestFirst snapshots of one layer
 */
export function coverBox(box: Bbox, newestFirst: readonly AreaSnapshot[]): Cover {
  let missing: readonly Bbox[] = [box];
  const parts: CoveredPart[] = [];
  for (const snapshot of [
    ...newestFirst.filter((each) => !isRefreshPending(each)),
    ...newestFirst.filter(isRefreshPending),
  ]) {
    if (missing.length === 0) break;
    const { bbox } = snapshot.area;
    const regions = missing.flatMap((piece) => intersectBbox(piece, bbox) ?? []);
    if (regions.length === 0) continue;
    parts.push({ snapshot, regions });
    missing = missing.flatMap((piece) => subtractBbox(piece, bbox));
  }
  return { parts, missing };
}

export function isRefreshPending({ incomplete }: AreaSnapshot): boolean {
  return incomplete === 'pages_pending';
}

/** Adds a position, unless a newer one of the same track is there. */
export function keepNewest(positions: Map<string, Position>, position: Position): void {
  const known = positions.get(position.ref);
  if (!known || position.observedAt >= known.observedAt) positions.set(position.ref, position);
}
