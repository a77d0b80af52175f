import 'server-only';
import type { PaceLimits } from './pace-limits.ts';

export interface PacedArea {
  /** Requests that one refresh takes, more than 0. */
  readonly cost: number;
  /** Those who look at it, more than 0: an area that nobody looks at is not refreshed. */
  readonly viewers: number;
}

/**
 * How often to refresh each area, in milliseconds, so that all of the rate is used and a viewer's picture is as young as it
 * can be on average: intervals go with the square root of cost over viewers. What areas at the shortest interval do not take
 * goes to the others. Where even the longest interval everywhere would cost more than the rate, the bound moves out as far
 * as `longestOf` says; at a rate of 0 intervals are infinite.
 * The costs over the intervals never add up to more than the rate, and to less only where every area is at the shortest.
 * @param rate requests a second, at least 0
 * @throws RangeError for a cost, a number of viewers or a rate that is out of its range
 */
export function refreshIntervals(areas: readonly PacedArea[], rate: number, limits: PaceLimits): number[] {
  if (!(rate >= 0)) throw new RangeError(`a rate of ${rate} requests a second`);
  for (const { cost, viewers } of areas) {
    if (!(cost > 0 && viewers > 0)) throw new RangeError(`an area of cost ${cost} with ${viewers} viewers`);
  }
  const perMs = rate / 1000;
  const costs = areas.reduce((sum, { cost }) => sum + cost, 0);
  const { shortestMs } = limits;
  if (costs <= perMs * shortestMs) return areas.map(() => shortestMs);
  if (perMs === 0) return areas.map(() => Number.POSITIVE_INFINITY);

  const longestMs = longestOf(costs / perMs, limits);
  if (longestMs * perMs <= costs) return areas.map(() => costs / perMs);
  const factors = areas.map(({ cost, viewers }) => Math.sqrt(cost / viewers));
  const scale = scaleThatSpends(perMs, areas, factors, shortestMs, longestMs);
  return factors.map((factor) => clamp(scale * factor, shortestMs, longestMs));
}

/** Nobody's picture may get more than so many times as old as with equal intervals, where the longest cannot be kept. */
const STRETCH_MAX = 2;

/**
 * The longest interval, given the one that all areas would have if theirs were equal. As long as that one is within the
 * limit, so is every interval; beyond it the bound grows with it, at first slowly, so that no step is made at the limit.
 */
function longestOf(equalMs: number, { longestMs }: PaceLimits): number {
  return equalMs <= longestMs ? longestMs : equalMs * Math.min(STRETCH_MAX, equalMs / longestMs);
}

/**
 * The factor of the square-root rule at which the clamped intervals spend the rate. What is spent falls with the scale, and
 * between two scales at which some area meets a bound it is `held + free / scale`: the segment is searched, the scale solved.
 */
function scaleThatSpends(
  perMs: number,
  areas: readonly PacedArea[],
  factors: readonly number[],
  shortestMs: number,
  longestMs: number,
): number {
  const spent = (scale: number) =>
    areas.reduce((sum, { cost }, i) => sum + cost / clamp(scale * (factors[i] as number), shortestMs, longestMs), 0);
  const meets = factors.flatMap((factor) => [shortestMs / factor, longestMs / factor]).sort((a, b) => a - b);
  let low = 0;
  let high = meets.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spent(meets[middle] as number) <= perMs) high = middle;
    else low = middle + 1;
  }
  const end = meets[high] as number;
  const inside = ((meets[high - 1] ?? 0) + end) / 2;
  let held = 0;
  let free = 0;
  areas.forEach(({ cost }, i) => {
    const factor = factors[i] as number;
    const interval = inside * factor;
    if (interval < shortestMs) held += cost / shortestMs;
    else if (interval > longestMs) held += cost / longestMs;
    else free += cost / factor;
  });
  // Rounding can leave nothing free in a segment of no width.
  return perMs > held && free > 0 ? Math.min(end, free / (perMs - held)) : end;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** Part of the interval by which refreshes that began together drift apart, either way. */
const JITTER = 0.1;

/** The interval ±10%. @param random uniform in [0, 1) */
export function jittered(intervalMs: number, random: () => number): number {
  return intervalMs * (1 + JITTER * (2 * random() - 1));
}
