import type { TrackHistory } from '#lib/client/replay/store/track-history.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { lengthText, NOT_REPORTED, speedText } from '#lib/model/measure-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { verticalMeasureOf } from './history-columns.ts';

/** Time and both chart values of one observation. @param index below `history.count` */
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
