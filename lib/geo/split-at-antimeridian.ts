import { type Bbox, crossesAntimeridian } from './bbox.ts';

/** Omits parts without width. */
export function splitAtAntimeridian(bbox: Bbox): readonly Bbox[] {
  if (!crossesAntimeridian(bbox)) return [bbox];
  if (bbox.west === 180) return [{ ...bbox, west: -180 }];
  if (bbox.east === -180) return [{ ...bbox, east: 180 }];
  return [
    { ...bbox, east: 180 },
    { ...bbox, west: -180 },
  ];
}
