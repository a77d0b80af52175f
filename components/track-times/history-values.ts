import type { TrackHistory } from '#lib/client/replay/store/replay-store.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { lengthText, NOT_REPORTED, speedText } from '#lib/model/measure-text.ts';
import { lengthIn, speedIn, type UnitSystem } from '#lib/model/units.ts';
import { TRAIL_LIMITS } from '#lib/picture/trail-joins.ts';
import { upstreamInstant } from '#lib/time/instant.ts';

export const CHART_HEIGHT_PX = 132;
/** Dashes and gaps of the speed line, CSS pixels; the altitude line is solid. */
export const SPEED_DASH: readonly number[] = [4, 3];

type VerticalMeasure = 'altitude' | 'height';

export const VERTICAL_NAME: Readonly<Record<VerticalMeasure, string>> = {
  altitude: 'Altitude (reference not stated)',
  height: 'Height above ground, estimated',
};

/**
 * A track's history as the columns of its chart, in order of time, with breaks where two observations are too far apart.
 * `null` is "not reported" or a break, never 0.
 */
export interface HistoryColumns {
  readonly vertical: VerticalMeasure;
  readonly atMs: readonly number[];
  readonly verticals: readonly (number | null)[];
  readonly speeds: readonly (number | null)[];
}

function verticalMeasureOf({ kind, heightAglM }: TrackHistory): VerticalMeasure {
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

/**
 * The chart in words, for screen readers.
 * @param history has at least one observation
 */
export function historySentence(history: TrackHistory, units: UnitSystem, zone: ClockZone): string {
  const { count, observedAtMs, altitudeM, heightAglM, speedMps } = history;
  const vertical = verticalMeasureOf(history);
  const first = clockText(upstreamInstant(observedAtMs[0] as number), zone);
  const last = clockText(upstreamInstant(observedAtMs[count - 1] as number), zone);
  const positions =
    count === 1 ? `1 position, received at ${first}` : `${count} positions, received ${first} to ${last}`;
  const verticals = spanText(vertical === 'height' ? heightAglM : altitudeM, (metres) => lengthText(units, metres));
  const speeds = spanText(speedMps, (mps) => speedText(units, mps));
  return `${positions}. ${VERTICAL_NAME[vertical]}: ${verticals}. Ground speed: ${speeds}.`;
}

function spanText(values: Float64Array, textOf: (value: number) => string | undefined): string {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (min > max) return NOT_REPORTED;
  const [low, high] = [textOf(min), textOf(max)];
  return low === high ? `${low}` : `${low} to ${high}`;
}

/** @param index below `history.count` */
export function observationText(history: TrackHistory, index: number, units: UnitSystem, zone: ClockZone) {
  const vertical = verticalMeasureOf(history);
  const reported = (values: Float64Array) => {
    const value = values[index] as number;
    return Number.isNaN(value) ? undefined : value;
  };
  const verticalM = reported(vertical === 'height' ? history.heightAglM : history.altitudeM);
  return {
    time: clockText(upstreamInstant(history.observedAtMs[index] as number), zone),
    vertical: lengthText(units, verticalM) ?? `${vertical} ${NOT_REPORTED}`,
    speed: speedText(units, reported(history.speedMps)) ?? `speed ${NOT_REPORTED}`,
  };
}

/**
 * The index of the nearest time; of two equally near, the earlier.
 * @param timesMs ascending, not empty
 */
export function nearestTime(timesMs: Float64Array, atMs: number): number {
  let low = 0;
  let high = timesMs.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((timesMs[middle] as number) <= atMs) low = middle;
    else high = middle;
  }
  return atMs - (timesMs[low] as number) <= (timesMs[high] as number) - atMs ? low : high;
}
