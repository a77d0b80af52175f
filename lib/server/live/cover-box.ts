import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { intersectBbox, subtractBbox } from '#lib/geo/subtract-bbox.ts';
import type { AreaSnapshot } from './snapshots.ts';

export interface CoveredPart {
  readonly snapshot: AreaSnapshot;
  /** Without overlap. */
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

export function isPending({ incomplete }: AreaSnapshot): boolean {
  return incomplete === 'pages_pending';
}
