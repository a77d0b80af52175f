import type { TrackHistory } from '#lib/client/replay/store/track-history.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { lengthText, NOT_REPORTED, speedText } from '#lib/model/measure-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { type VerticalMeasure, verticalMeasureOf } from './history-columns.ts';

/** @param history has at least one observation */
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

export const VERTICAL_NAME: Readonly<Record<VerticalMeasure, string>> = {
  altitude: 'Altitude (reference not stated)',
  height: 'Height above ground, estimated',
};
