import { joinLines, joinPolygons } from '#lib/geo/cut-at-antimeridian.ts';
import { shapeProblem } from '../../shape-problem.ts';
import type { ZoneShape } from '../../zone.ts';
import { ZONE_CORNERS_MAX } from '../../zone-limits.ts';
import type { ImportReport } from './import-report.ts';
import type { ReadZone } from './read-zone.ts';
import { cornerCount, SIMPLIFIED_MAX } from './simplified.ts';

type Part = ReadZone & { readonly shape: ZoneShape };

/**
 * Joins parts of one feature that were cut at 180° and differ in nothing else, as RFC 7946 (3.1.9) asks writers to cut.
 * Others, and parts that together are no zone, stay.
 */
export function joinedParts(zones: readonly ReadZone[], place: string, report: ImportReport): readonly ReadZone[] {
  const touching = zones.filter(touches180);
  if (touching.length < 2) return zones;
  const joined = new Map<ReadZone, readonly ReadZone[]>();
  for (const alike of byContent(touching)) {
    for (const { shape, from } of joinedShapes(alike.map((part) => part.shape))) {
      const parts = from.map((index) => alike[index] as Part);
      const [first, ...others] = parts;
      if (!first || others.length === 0) continue;
      const isChecked = cornerCount(shape) <= ZONE_CORNERS_MAX;
      if (isChecked && shapeProblem(shape) !== undefined) continue;
      joined.set(first, [{ ...first, shape }]);
      for (const other of others) joined.set(other, []);
      report.change(place, `its ${parts.length} parts, cut at the longitude 180, are joined to one zone`);
    }
  }
  return zones.flatMap((zone) => joined.get(zone) ?? [zone]);
}

function touches180(zone: ReadZone): zone is Part {
  const { shape } = zone;
  if (!shape || shape.type === 'Circle' || cornerCount(shape) > SIMPLIFIED_MAX) return false;
  const line = shape.type === 'Polygon' ? (shape.coordinates[0] ?? []) : shape.line;
  return line.some(([lon]) => Math.abs(lon) > 179.999);
}

function byContent(parts: readonly Part[]): Iterable<readonly Part[]> {
  const groups = new Map<string, Part[]>();
  for (const part of parts) {
    const { shape, vertical, hours, words } = part;
    const width = shape.type === 'Corridor' ? shape.half_width_m : null;
    const key = JSON.stringify([shape.type, width, vertical, hours, words]);
    const known = groups.get(key);
    if (known) known.push(part);
    else groups.set(key, [part]);
  }
  return groups.values();
}

/** @param shapes all polygons, or all corridors of one width */
function joinedShapes(shapes: readonly ZoneShape[]): { shape: ZoneShape; from: readonly number[] }[] {
  const polygons = shapes.flatMap((shape) => (shape.type === 'Polygon' ? [shape.coordinates] : []));
  const corridors = shapes.flatMap((shape) => (shape.type === 'Corridor' ? [shape] : []));
  const [corridor] = corridors;
  if (corridor)
    return joinLines(corridors.map(({ line }) => line)).map(({ shape, from }) => ({
      shape: { ...corridor, line: shape },
      from,
    }));
  return joinPolygons(polygons).map(({ shape, from }) => ({ shape: { type: 'Polygon', coordinates: shape }, from }));
}
