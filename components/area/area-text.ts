import type { DrawingState } from '#lib/client/area/drawing-state.ts';
import { type Area, polygonOf } from '#lib/geo/area.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { parseCoordinates } from '#lib/geo/parse-coordinates.ts';

export function drawingHint({ tool, corners }: DrawingState): string {
  switch (tool) {
    case 'circle':
      return corners.length === 0 ? 'Drag on the map from the centre outwards.' : 'Click where the circle ends.';
    case 'polygon':
      return corners.length < 3 ? 'Click the corners on the map.' : 'Click the first corner again to finish.';
    case 'change':
      return 'Drag a corner, the middle of an edge, or a centre.';
    case undefined:
      return '';
  }
}

export type ReadArea =
  | { readonly area: Area; readonly problem?: undefined }
  | { readonly area?: undefined; readonly problem: string };

export function placesText(area: Area): string {
  return area.kind === 'circle' ? placeText(area.centre) : area.corners.map(placeText).join('; ');
}

function placeText({ lon, lat }: LonLat): string {
  return `${Number(lat.toFixed(6))}, ${Number(wrapLongitude(lon).toFixed(6))}`;
}

export function readCircle(centreText: string, radiusText: string): ReadArea {
  const centre = parseCoordinates(centreText);
  if (!centre) return { problem: 'Write the centre as 47.458, 8.548.' };
  if (!centre.ok) return { problem: centre.problem };
  const radiusM = Number(radiusText.trim().replace(/\s*m$/, '').replace(',', '.'));
  if (radiusText.trim() === '' || !Number.isFinite(radiusM))
    return { problem: 'Write the radius in metres, such as 1200.' };
  return { area: { kind: 'circle', centre: centre.place, radiusM } };
}

export function readPolygon(text: string): ReadArea {
  const corners: LonLat[] = [];
  for (const part of text.split(/[;\n]/).filter((each) => each.trim() !== '')) {
    const read = parseCoordinates(part);
    if (!read) return { problem: `“${part.trim()}” is no place: write corners as 47.45, 8.54; 47.46, 8.56.` };
    if (!read.ok) return { problem: read.problem };
    corners.push(read.place);
  }
  return { area: polygonOf(corners) };
}
