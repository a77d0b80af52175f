import type { TrackHistory } from '#lib/client/replay/store/track-history.ts';
import { lengthIn, speedIn, type UnitSystem } from '#lib/model/units.ts';
import { TRAIL_LIMITS } from '#lib/picture/trail-joins.ts';

export type VerticalMeasure = 'altitude' | 'height';

/**
 * Observations in order of time, and breaks where two are too far apart. `null` is "not reported" or a break, never 0.
 */
export interface HistoryColumns {
  readonly vertical: VerticalMeasure;
  readonly atMs: readonly number[];
  readonly verticals: readonly (number | null)[];
  readonly speeds: readonly (number | null)[];
}

export function verticalMeasureOf({ kind, heightAglM }: TrackHistory): VerticalMeasure {
  return kind === 'drone' && heightAglM.some((height) => !Number.isNaN(height)) ? 'height' : 'altitude';
}

export function historyColumns(history: TrackHistory, units: UnitSystem): HistoryColumns {
  const { observedAtMs, speedMps } = history;
  const { solidMs } = TRAIL_LIMITS[history.kind];
  const vertical = verticalMeasureOf(history);
  const verticalM = vertical === 'height' ? history.heightAglM : history.altitudeM;
  const atMs: number[] = [];
  const verticals: (number | null)[] = [];
  const speeds: (number | null)[] = [];
  for (let index = 0; index < history.count; index++) {
    const observedMs = observedAtMs[index] as number;
    const beforeMs = index === 0 ? observedMs : (observedAtMs[index - 1] as number);
    if (observedMs - beforeMs > solidMs) {
      atMs.push((beforeMs + observedMs) / 2);
      verticals.push(null);
      speeds.push(null);
    }
    atMs.push(observedMs);
    verticals.push(reported(verticalM[index] as number, (metres) => lengthIn(units, metres)));
    speeds.push(reported(speedMps[index] as number, (mps) => speedIn(units, mps)));
  }
  return { vertical, atMs, verticals, speeds };
}

function reported(value: number, inUnits: (value: number) => number): number | null {
  return Number.isNaN(value) ? null : inUnits(value);
}
