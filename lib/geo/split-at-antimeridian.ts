import { type Bbox, crossesAntimeridian } from './bbox.ts';

/**
 * The antimeridian split: one box that does not cross 180° stays as it is; one that does becomes its western-hemisphere
 * and eastern-hemisphere halves, without halves of no width. The union is the input, the parts share no area.
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
