import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { altitudeRgb } from '#lib/model/altitude-colour.ts';
import { FLAG_DRONE } from '#lib/model/record-fields.ts';
import type { TrackColumns } from './track-columns.ts';

/** Computes a slot's derived columns: the mark's Mercator coordinates and its colour. */
export function deriveMark(columns: TrackColumns, slot: number): void {
  columns.mercatorX[slot] = mercatorX(columns.lon[slot] as number);
  columns.mercatorY[slot] = mercatorY(columns.lat[slot] as number);
  // Drones are coloured by height above ground: their altitude's datum is not stated, and the two are never mixed.
  const isDrone = ((columns.style[slot] as number) & FLAG_DRONE) !== 0;
  const metres = (isDrone ? columns.heightAglM[slot] : columns.altitudeM[slot]) as number;
  const rgb = altitudeRgb(isDrone ? 'drone' : 'aircraft', metres);
  columns.rgb[slot * 3] = rgb[0] * 255;
  columns.rgb[slot * 3 + 1] = rgb[1] * 255;
  columns.rgb[slot * 3 + 2] = rgb[2] * 255;
}
