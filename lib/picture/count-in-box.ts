import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import type { OriginCounts } from './draw-picture.ts';
import { MARK_EMERGENCY } from './mark-style.ts';
import type { TrackColumns } from './track-columns.ts';

/** Without expired positions. An emergency counts in its kind as well. */
export interface BoxCounts {
  readonly aircraft: OriginCounts;
  readonly drone: OriginCounts;
  readonly emergencies: OriginCounts;
}

export function countInBox(columns: TrackColumns, nowMs: number, bbox: Bbox): BoxCounts {
  const none = () => ({ real: 0, simulated: 0, test: 0 });
  const counts = { aircraft: none(), drone: none(), emergencies: none() };
  for (let slot = 0; slot < columns.end; slot++) {
    if (columns.used[slot] === 0 || nowMs >= (columns.expiresAtMs[slot] as number)) continue;
    if (!bboxContains(bbox, columns.lon[slot] as number, columns.lat[slot] as number)) continue;
    const style = columns.style[slot] as number;
    const origin = style & FLAG_SIMULATED ? 'simulated' : style & FLAG_TEST ? 'test' : 'real';
    counts[style & FLAG_DRONE ? 'drone' : 'aircraft'][origin]++;
    if (style & MARK_EMERGENCY) counts.emergencies[origin]++;
  }
  return counts;
}
