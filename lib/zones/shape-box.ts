import { type Bbox, bboxContains, bboxesOverlap } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { grownBox } from '#lib/geo/grown-box.ts';
import { nearestCopy, wrapLongitude } from '#lib/geo/longitude.ts';
import type { ZoneShape } from './zone.ts';

type Corner = readonly [number, number];

/** A box that contains every place of the shape, and every place within the margin around it. */
export function shapeBox(shape: ZoneShape, marginM: number): Bbox {
  const box = boxOfCorners(cornersOf(shape));
  switch (shape.type) {
    case 'Polygon':
      return grownBox(box, marginM);
    case 'Circle':
      return grownBox(box, shape.radius_m + marginM);
    case 'Corridor':
      return grownBox(box, shape.half_width_m + marginM);
  }
}

/** Whether the zone reaches into the box. */
export function isZoneIn({ shape }: { readonly shape: ZoneShape }, box: Bbox | undefined): boolean {
  return box === undefined || bboxesOverlap(shapeBox(shape, 0), box);
}

interface Evidence {
  readonly evidence: readonly { readonly longitude: number; readonly latitude: number }[];
}

/** Whether the last position of the alarm is in the box. An alarm without a position is in no box. */
export function isAlarmIn({ evidence }: Evidence, box: Bbox | undefined): boolean {
  const last = evidence.at(-1);
  return box === undefined || (last !== undefined && bboxContains(box, last.longitude, last.latitude));
}

/** The middle of the box of the shape's corners, which may lie outside of the shape. */
export function shapeCentre(shape: ZoneShape): LonLat {
  const { west, south, east, north } = boxOfCorners(cornersOf(shape));
  return { lon: wrapLongitude((west + east) / 2), lat: (south + north) / 2 };
}

/** The box around several boxes, at least one. */
export function boxAround(boxes: readonly Bbox[]): Bbox {
  const corners = boxes.flatMap(({ west, south, east, north }): Corner[] => [
    [west, south],
    [east, north],
  ]);
  return grownBox(boxOfCorners(corners), 0);
}

function cornersOf(shape: ZoneShape): readonly Corner[] {
  switch (shape.type) {
    case 'Polygon':
      return shape.coordinates[0] ?? [];
    case 'Circle':
      return [shape.centre];
    case 'Corridor':
      return shape.line;
  }
}

/** Each corner is reached from the one before by the shorter way: longitudes run on past 180°. */
function boxOfCorners(corners: readonly Corner[]): Bbox {
  let [south, north] = [90, -90];
  let lon = corners[0]?.[0] ?? 0;
  let [west, east] = [lon, lon];
  for (const [cornerLon, lat] of corners) {
    lon = nearestCopy(cornerLon, lon);
    west = Math.min(west, lon);
    east = Math.max(east, lon);
    south = Math.min(south, lat);
    north = Math.max(north, lat);
  }
  return { west, south, east, north };
}
