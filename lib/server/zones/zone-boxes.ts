import 'server-only';
import { HISTORY_MAX_SPAN_DEG, LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, latSpanDeg, lonSpanDeg, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import { LAYERS } from '#lib/model/position.ts';
import type { Rule } from '#lib/zones/rule.ts';
import { reachM } from '#lib/zones/rule-kinds.ts';
import { shapeBox } from '#lib/zones/shape-box.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import type { ZoneBox } from '../live/plan/demand-of-all.ts';

/** An entry needs a position outside before. */
const MARGIN_M = 2000;
export interface ZoneToRead {
  readonly shape: ZoneShape;
  readonly rules: readonly Rule[];
}

const known = new WeakMap<ZoneToRead, readonly ZoneBox[]>();

/**
 * The boxes of a zone with the range of its rules. They are computed once for each object, since each change needs
 * those of all zones.
 */
export function zoneBoxes(zone: ZoneToRead): readonly ZoneBox[] {
  let boxes = known.get(zone);
  if (!boxes) {
    boxes = boxesWithin(zone, LIVE_MAX_SPAN_DEG);
    known.set(zone, boxes);
  }
  return boxes;
}

export function historyBoxes(zone: ZoneToRead): readonly ZoneBox[] {
  return boxesWithin(zone, HISTORY_MAX_SPAN_DEG);
}

function boxesWithin({ shape, rules }: ZoneToRead, maxSpanDeg: number): readonly ZoneBox[] {
  return LAYERS.flatMap((layer) => {
    const own = rules.filter(({ layers }) => layers.includes(layer));
    if (own.length === 0) return [];
    const marginM = MARGIN_M + Math.max(...own.map((rule) => Math.max(reachM(rule, layer), rule.hold_out_m)));
    return tilesOf(shapeBox(shape, marginM), maxSpanDeg).map((bbox) => ({ layer, bbox }));
  });
}

/** @returns tiles of which none crosses 180° */
function tilesOf(box: Bbox, maxSpanDeg: number): readonly Bbox[] {
  return splitAtAntimeridian(box).flatMap((part) => {
    const columns = Math.max(1, Math.ceil(lonSpanDeg(part) / maxSpanDeg));
    const rows = Math.max(1, Math.ceil(latSpanDeg(part) / maxSpanDeg));
    const [wide, high] = [lonSpanDeg(part) / columns, latSpanDeg(part) / rows];
    // The last edge is exact despite rounding.
    const edge = (from: number, step: number, to: number) => Math.min(to, from + step);
    return Array.from({ length: columns * rows }, (_, index): Bbox => {
      const west = part.west + (index % columns) * wide;
      const south = part.south + Math.floor(index / columns) * high;
      return { west, south, east: edge(west, wide, part.east), north: edge(south, high, part.north) };
    });
  });
}
