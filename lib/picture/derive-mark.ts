import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import type { TrackColumns } from './track-columns.ts';

export function deriveMark(columns: TrackColumns, slot: number): void {
  columns.mercatorX[slot] = mercatorX(columns.lon[slot] as number);
  columns.mercatorY[slot] = mercatorY(columns.lat[slot] as number);
}
