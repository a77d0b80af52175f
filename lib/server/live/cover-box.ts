import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { intersectBbox, subtractBbox } from '#lib/geo/subtract-bbox.ts';
import type { AreaSnapshot } from '../ports/snapshots.ts';

/** Where one snapshot speaks for a box: no newer one does. */
export interface CoveredPart {
  readonly snapshot: AreaSnapshot;
  /** Parts of the box, without overlap. */
  readonly regions: readonly Bbox[];
}

export interface Cover {
  readonly parts: readonly CoveredPart[];
  /** Parts of the box that no snapshot covers. */
  readonly missing: readonly Bbox[];
}

/**
 * Which snapshot shows which part of a box: each place is shown by the newest one that covers it, so that what an older
 * one still holds there can't come back. One whose pages are still being read shows a place only where no other does: tracks
 * of its later pages would vanish.
 *
 * @param box does not cross 180°
 * @param newestFirst snapshots of one layer
 */
export function coverBox(box: Bbox, newestFirst: readonly AreaSnapshot[]): Cover {
  let missing: readonly Bbox[] = [box];
  const parts: CoveredPart[] = [];
  for (const snapshot of [...newestFirst.filter((each) => !isPending(each)), ...newestFirst.filter(isPending)]) {
    if (missing.length === 0) break;
    const { bbox } = snapshot.area;
    const regions = missing.flatMap((piece) => intersectBbox(piece, bbox) ?? []);
    if (regions.length === 0) continue;
    parts.push({ snapshot, regions });
    missing = missing.flatMap((piece) => subtractBbox(piece, bbox));
  }
  return { parts, missing };
}

/** Whether it shows the first pages of an area, while further ones are still being read. */
export function isPending({ incomplete }: AreaSnapshot): boolean {
  return incomplete === 'pages_pending';
}
