import { epochMs } from '#lib/time/instant.ts';
import type { Observation } from './transition.ts';

/** Observations by observed time, then by layer and reference: the same for every order in which they are given. */
export function inTimeOrder(observations: readonly Observation[]): readonly Observation[] {
  const count = observations.length;
  if (isOrdered(observations)) return observations;
  const times = new Float64Array(count);
  let firstMs = Number.POSITIVE_INFINITY;
  for (let index = 0; index < count; index++) {
    const atMs = timeOf(observations[index]);
    times[index] = atMs;
    firstMs = Math.min(firstMs, atMs);
  }
  // Time and index in one number, for a sort without calls: 30 days of a million observations fit in 53 bits.
  for (let index = 0; index < count; index++) times[index] = ((times[index] as number) - firstMs) * count + index;
  times.sort();
  const ordered = Array.from(times, (packed) => observations[packed % count] as Observation);
  for (let from = 0; from < count; ) {
    let to = from + 1;
    while (to < count && timeOf(ordered[to]) === timeOf(ordered[from])) to++;
    if (to - from > 1) orderByName(ordered, from, to);
    from = to;
  }
  return ordered;
}

/** Answers are ordered by reference, so observations of one time mostly are, too. */
function orderByName(observations: Observation[], from: number, to: number): void {
  for (let index = from + 1; index < to; index++) {
    if (byName(observations[index - 1] as Observation, observations[index] as Observation) <= 0) continue;
    const run = observations.slice(from, to).toSorted(byName);
    for (const [at, observation] of run.entries()) observations[from + at] = observation;
    return;
  }
}

function isOrdered(observations: readonly Observation[]): boolean {
  for (let index = 1; index < observations.length; index++) {
    const [one, next] = [observations[index - 1] as Observation, observations[index] as Observation];
    const ms = timeOf(next) - timeOf(one);
    if (ms < 0 || (ms === 0 && byName(one, next) > 0)) return false;
  }
  return true;
}

function byName(one: Observation, other: Observation): number {
  if (one.layer !== other.layer) return one.layer < other.layer ? -1 : 1;
  return one.position.ref < other.position.ref ? -1 : one.position.ref > other.position.ref ? 1 : 0;
}

function timeOf(observation: Observation | undefined): number {
  return observation ? epochMs(observation.position.observedAt) : Number.NaN;
}
