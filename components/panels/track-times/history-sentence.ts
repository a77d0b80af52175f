import type { TrackHistory } from '#lib/client/replay/track-history.ts';
import { type ClockZone, clockWords } from '#lib/model/clock-words.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { lengthWords, NOT_REPORTED, speedWords } from '../measure-words.ts';
import { verticalMeasureOf } from './history-columns.ts';
import { VERTICAL_NAME } from './vertical-name.ts';

/** What the chart of a track shows, in a sentence. @param history of at least one observation */
export function historySentence(history: TrackHistory, units: UnitSystem, zone: ClockZone): string {
  const { count, observedAtMs, altitudeM, heightAglM, speedMps } = history;
  const vertical = verticalMeasureOf(history);
  const first = clockWords(upstreamInstant(observedAtMs[0] as number), zone);
  const last = clockWords(upstreamInstant(observedAtMs[count - 1] as number), zone);
  const positions =
    count === 1 ? `1 position, received at ${first}` : `${count} positions, received ${first} to ${last}`;
  const verticals = spanWords(vertical === 'height' ? heightAglM : altitudeM, (metres) => lengthWords(units, metres));
  const speeds = spanWords(speedMps, (mps) => speedWords(units, mps));
  return `${positions}. ${VERTICAL_NAME[vertical]}: ${verticals}. Ground speed: ${speeds}.`;
}

/** `430 m to 1210 m`, or one value where all are written the same. NaN is not counted. */
function spanWords(values: Float64Array, words: (value: number) => string | undefined): string {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (min > max) return NOT_REPORTED;
  const [low, high] = [words(min), words(max)];
  return low === high ? `${low}` : `${low} to ${high}`;
}
