import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Observation } from '../sources/observation.ts';
import type { FoundRow } from './earliest-rows.ts';
import type { Asked, Found, HeldPeriod } from './held-period.ts';

export interface AskedPeriod {
  readonly start: UpstreamInstant;
  readonly held: HeldPeriod;
  readonly asked: Asked;
}

/** Periods that are read at once, when those before did not have enough. */
const AT_ONCE_MAX = 4;

/** The earliest `maxCount` observations of the periods, which are sorted by time. */
export async function earliestObservations(periods: readonly AskedPeriod[], maxCount: number) {
  const observations: Observation[] = [];
  let isWhole = true;
  let count = 0;
  for await (const { held, found } of findUntil(periods, 'observations', () => count > maxCount)) {
    isWhole &&= found.isWhole;
    // One more than wanted tells whether there are more.
    const rows = found.rows.earliest(maxCount + 1 - count, (row: FoundRow) => held.trackKey(row));
    count += rows.length;
    const restored = await held.restore(rows);
    isWhole &&= restored.isWhole;
    for (const observation of restored.observations) observations.push(observation);
  }
  return { observations: observations.slice(0, maxCount), more: count > maxCount, isWhole };
}

/** The times of the earliest `maxCount` observations, in ms since the start of their period. */
export async function earliestTimes(periods: readonly AskedPeriod[], maxCount: number) {
  const times: { readonly start: UpstreamInstant; readonly offsetsMs: Int32Array }[] = [];
  let count = 0;
  for await (const { start, found } of findUntil(periods, 'times', () => count >= maxCount)) {
    const offsetsMs = found.rows.earliestTimes(maxCount - count);
    count += offsetsMs.length;
    times.push({ start, offsetsMs });
  }
  return times;
}

/** Reads period after period until there is enough: in a busy box only the first, in a quiet one several at once. */
async function* findUntil(
  periods: readonly AskedPeriod[],
  wanted: 'observations' | 'times',
  isEnough: () => boolean,
): AsyncGenerator<{ readonly start: UpstreamInstant; readonly held: HeldPeriod; readonly found: Found }> {
  for (let first = 0, atOnce = 1; first < periods.length && !isEnough(); atOnce = Math.min(2 * atOnce, AT_ONCE_MAX)) {
    const group = periods.slice(first, first + atOnce);
    const founds = await Promise.all(group.map(({ held, asked }) => held.find(asked, wanted)));
    for (const [index, found] of founds.entries()) {
      if (isEnough()) return;
      yield { start: group[index]!.start, held: group[index]!.held, found };
    }
    first += group.length;
  }
}
