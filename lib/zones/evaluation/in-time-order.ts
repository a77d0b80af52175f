import { epochMs } from '#lib/time/instant.ts';
import type { Observation } from './transition.ts';

/** By observed time, then layer and reference. */
export function inTimeOrder(observations: readonly Observation[]): readonly Observation[] {
  if (isOrdered(observations)) return observations;
  const ordered = byTime(observations);
  for (let from = 0; from < ordered.length; ) {
    let to = from + 1;
    while (to < ordered.length && timeOf(ordered[to]) === timeOf(ordered[from])) to++;
    if (to - from > 1) orderByName(ordered, from, to);
    from = to;
  }
  return ordered;
}

const DIGIT = 2 ** 16;

/** Radix sort, stable: an answer has 20,000 positions. */
function byTime(observations: readonly Observation[]): Observation[] {
  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const observation of observations) {
    firstMs = Math.min(firstMs, timeOf(observation));
    lastMs = Math.max(lastMs, timeOf(observation));
  }
  let sorted = [...observations];
  for (let unit = 1; unit <= lastMs - firstMs; unit *= DIGIT) {
    const digitOf = (observation: Observation) => Math.floor((timeOf(observation) - firstMs) / unit) % DIGIT;
    const ends = new Uint32Array(DIGIT + 1);
    for (const observation of sorted) ends[digitOf(observation) + 1]!++;
    for (let digit = 1; digit <= DIGIT; digit++) (ends[digit] as number) += ends[digit - 1] as number;
    const next = new Array<Observation>(sorted.length);
    for (const observation of sorted) next[(ends[digitOf(observation)] as number)++] = observation;
    sorted = next;
  }
  return sorted;
}

/** Sorts only if needed: answers are mostly ordered by reference. */
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
