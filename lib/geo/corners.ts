import * as z from 'zod/mini';
import type { Bbox } from './bbox.ts';

/** West, south, east, north. */
export const cornersSchema = z.tuple([z.number(), z.number(), z.number(), z.number()]);

export type Corners = z.infer<typeof cornersSchema>;

export function corners(box: Bbox): Corners {
  return [box.west, box.south, box.east, box.north];
}

export function boxFromCorners([west, south, east, north]: Readonly<Corners>): Bbox {
  return { west, south, east, north };
}
