import type { PlacedAnchor } from '#lib/client/measuring/measuring-reading.ts';
import type { MarkedPlace } from '#lib/client/page/map-state.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { shortReference } from '#lib/model/short-reference.ts';

export interface ReferencePoint {
  readonly at: LonLat;
  readonly name: string;
}

/**
 * Never the selected track: each selection would reorder the table.
 * @param ringCentres a place comes before a track
 */
export function referencePoint(
  marked: MarkedPlace | undefined,
  ringCentres: readonly PlacedAnchor[],
  middle: LonLat,
): ReferencePoint {
  if (marked) return { at: marked, name: marked.name ?? 'the marked place' };
  for (const { at, ref } of ringCentres) {
    if (at) return { at, name: ref === undefined ? 'the range rings' : `track ${shortReference(ref)}` };
  }
  return { at: middle, name: 'the middle of the map' };
}
