import type { TrackHistory } from '#lib/client/replay/track-history.ts';
import { type ClockZone, clockWords } from '#lib/model/clock-words.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { lengthWords, NOT_REPORTED, speedWords } from '../measure-words.ts';
import { verticalMeasureOf } from './history-columns.ts';

/** When one observation of a history was received, and both values of the chart. @param index below its `count` */
export function observationWords(history: TrackHistory, index: number, units: UnitSystem, zone: ClockZone) {
  const vertical = verticalMeasureOf(history);
  const reported = (values: Float64Array) => {
    const value = values[index] as number;
    return Number.isNaN(value) ? undefined : value;
  };
  const verticalM = reported(vertical === 'height' ? history.heightAglM : history.altitudeM);
  return {
    time: clockWords(upstreamInstant(history.observedAtMs[index] as number), zone),
    vertical: lengthWords(units, verticalM) ?? `${vertical} ${NOT_REPORTED}`,
    speed: speedWords(units, reported(history.speedMps)) ?? `speed ${NOT_REPORTED}`,
  };
}
