import type { LonLat } from '#lib/geo/great-circle.ts';
import { parseCoordinates } from '#lib/geo/parse-coordinates.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import type { ShapeType } from './zone-draft.ts';

export type TypedShape =
  | { readonly shape: ZoneShape; readonly problem?: undefined }
  | { readonly shape?: undefined; readonly problem: string };

/** The places of a shape as text that `typedShape` reads: one a line. */
export function shapePlaces(shape: ZoneShape): string {
  switch (shape.type) {
    case 'Polygon':
      // Holes are kept, and have no text.
      return (shape.coordinates[0] ?? []).slice(0, -1).map(placeText).join('\n');
    case 'Circle':
      return placeText(shape.centre);
    case 'Corridor':
      return shape.line.map(placeText).join('\n');
  }
}

/**
 * A shape from typed places, in decimal degrees, degrees and minutes, or MGRS, separated by semicolons or line ends.
 * @param widthM radius of a circle or half width of a corridor, metres
 */
export function typedShape(type: ShapeType, text: string, widthM: number): TypedShape {
  const places: LonLat[] = [];
  for (const part of text.split(/[;\n]/).filter((each) => each.trim() !== '')) {
    const read = parseCoordinates(part);
    if (!read) return { problem: `“${part.trim()}” is not a place: write 47.458, 8.548.` };
    if (!read.ok) return { problem: read.problem };
    places.push(read.place);
  }
  const points = places.map(({ lon, lat }): [number, number] => [lon, lat]);
  const [first, ...others] = points;
  switch (type) {
    case 'Circle':
      if (!first || others.length > 0) return { problem: 'Write one place: the centre.' };
      return { shape: { type, centre: first, radius_m: widthM } };
    case 'Corridor':
      if (points.length < 2) return { problem: 'Write at least two places, one a line.' };
      return { shape: { type, line: points, half_width_m: widthM } };
    case 'Polygon':
      if (!first || points.length < 3) return { problem: 'Write at least three corners, one a line.' };
      return { shape: { type, coordinates: [[...points, first]] } };
  }
}

function placeText([lon, lat]: readonly [number, number]): string {
  return `${Number(lat.toFixed(6))}, ${Number(lon.toFixed(6))}`;
}
