import { type Bbox, bboxCovers, formatBbox } from '#lib/geo/bbox.ts';

/**
 * A notice about places that are not loaded shrinks the map, so it stays while only the map's height shrinks, to avoid
 * flicker.
 */
export class CappedPast {
  #cut: { readonly area: string; readonly visible: Bbox } | undefined;

  isCapped(area: Bbox, visible: Bbox | undefined): boolean {
    if (!visible || !bboxCovers(area, visible)) {
      this.#cut = visible && { area: formatBbox(area), visible };
      return true;
    }
    const cut = this.#cut;
    if (cut && cut.area === formatBbox(area) && isLower(visible, cut.visible)) return true;
    this.#cut = undefined;
    return false;
  }
}

/** Below a pixel: a resized map recomputes its bounds with rounding errors. */
const SAME_DEG = 1e-6;

function isLower(one: Bbox, other: Bbox): boolean {
  const isAsWide = Math.abs(one.west - other.west) < SAME_DEG && Math.abs(one.east - other.east) < SAME_DEG;
  const isWithin = one.south > other.south - SAME_DEG && one.north < other.north + SAME_DEG;
  return isAsWide && isWithin && one.north - one.south < other.north - other.south - SAME_DEG;
}
