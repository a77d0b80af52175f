import type { ZoneShape } from '#lib/zones/zone.ts';

/** For `typedShape`: one place a line, without holes. */
export function shapePlaces(shape: ZoneShape): string {
  switch (shape.type) {
    case 'Polygon':
      return (shape.coordinates[0] ?? []).slice(0, -1).map(placeText).join('\n');
    case 'Circle':
      return placeText(shape.centre);
    case 'Corridor':
      return shape.line.map(placeText).join('\n');
  }
}

function placeText([lon, lat]: readonly [number, number]): string {
  return `${Number(lat.toFixed(6))}, ${Number(lon.toFixed(6))}`;
}
