import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Observation } from '../sources/observation.ts';
import type { FoundRow } from './earliest-rows.ts';
import type { Asked, Found, RetainedPeriod } from './retained-period.ts';

export interface AskedPeriod {
  readonly start: UpstreamInstant;
  readonly period: RetainedPeriod;
  readonly asked: Asked;
}

const AT_ONCE_MAX = 4;

/** @param periods sorted by time */
export async function earliestObservations(periods: readonly AskedPeriod[], maxCount: number) {
  const observations: Observation[] = [];
  let isWhole = true;
  let count = 0;
  for await (const { period, found } of findUntil(periods, 'observations', () => maxCount + 1 - count)) {
    isWhole &&= found.isWhole;
    // One more tells whether there are others.
    const rows = found.rows.earliest(maxCount + 1 - count, (row: FoundRow) => period.trackKey(row));
    count += rows.length;
    const restored = await period.restore(rows);
    isWhole &&= restored.isWhole;
    for (const observation of restored.observations) observations.push(observation);
  }
  return { observations: observations.slice(0, maxCount), more: count > maxCount, isWhole };
}

export async function earliestTimes(periods: readonly AskedPeriod[], maxCount: number) {
  const times: { readonly start: UpstreamInstant; readonly offsetsMs: Int32Array }[] = [];
  let count = 0;
  for await (const { start, found } of findUntil(periods, 'times', () => maxCount - count)) {
    const offsetsMs = found.rows.earliestTimes(maxCount - count);
    count += offsetsMs.length;
    times.push({ start, offsetsMs });
  }
  return times;
}

/**
 * Each period costs something, and each round a wait: after the first, reads as many as will probably be needed.
 * @param missing rows still wanted
 */
async function* findUntil(
  periods: readonly AskedPeriod[],
  wanted: 'observations' | 'times',
  missing: () => number,
): AsyncGenerator<{ readonly start: UpstreamInstant; readonly period: RetainedPeriod; readonly found: Found }> {
  for (let first = 0, atOnce = 1; first < periods.length && missing() > 0; ) {
    const group = periods.slice(first, first + atOnce);
    const before = missing();
    const founds = await Promise.all(group.map(({ period, asked }) => period.find(asked, wanted)));
    for (const [index, found] of founds.entries()) {
      if (missing() <= 0) return;
      yield { start: group[index]!.start, period: group[index]!.period, found };
    }
    first += group.length;
    const each = (before - missing()) / group.length;
    atOnce = Math.min(AT_ONCE_MAX, each > 0 ? Math.ceil(missing() / each) : 2 * atOnce);
  }
}
