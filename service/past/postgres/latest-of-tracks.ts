import type { Observation } from '../../sources/observation.ts';
import type { LayerPeriod } from '../period.ts';
import type { Rows } from '../rows.ts';
import { restorerOf } from '../stored-observation.ts';

/** The latest observation of each track among rows of a period. */
export function latestOfTracks(period: LayerPeriod, rows: Rows): Observation[] {
  const { offsetMs } = rows.columns;
  const latest = new Map<number, number>();
  for (let row = 0; row < rows.length; row += 1) {
    const track = rows.track[row]!;
    const known = latest.get(track);
    if (known === undefined || offsetMs[row]! >= offsetMs[known]!) latest.set(track, row);
  }
  const restored = restorerOf(period, rows.columns, rows.labels);
  return Array.from(latest, ([track, row]) => restored(rows.trackKeys[track]!, row));
}
