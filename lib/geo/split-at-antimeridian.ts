import { type Bbox, crossesAntimeridian } from './bbox.ts';

/**
 * Splits a box that crosses 180° into the part west of it (ending at 180) and the part east of it (starting at -180), omitting
 * parts without width. Other boxes are returned unchanged. The union is the input, and the parts share no area.
 */
export function splitAtAntimeridian(bbox: Bbox): readonly Bbox[] {
  if (!crossesAntimeridian(bbox)) return [bbox];
  if (bbox.west === 180) return [{ ...bbox, west: -180 }];
  if (bbox.east === -180) return [{ ...bbox, east: 180 }];
  return [
    { ...bbox, east: 180 },
    { ...bbox, west: -180 },
  ];
}
