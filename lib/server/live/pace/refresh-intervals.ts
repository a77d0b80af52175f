import 'server-only';
import type { PaceLimits } from './pace-limits.ts';

export interface PacedArea {
  /** Requests per refresh, more than 0. */
  readonly cost: number;
  /** More than 0: an area without viewers is not refreshed. */
  readonly viewers: number;
}

/**
 * How often to refresh each area, in milliseconds, so that the whole rate is used and viewers' pictures are as young as
 * possible on average: intervals are proportional to the square root of cost over viewers. What areas at the minimum interval
 * do not use goes to the others. Where even the maximum interval everywhere would exceed the rate, the maximum grows as
 * `maxOf` says; at a rate of 0 intervals are infinite.
 * The sum of costs over intervals never exceeds the rate, and is lower only where every area is at the minimum.
 * @param rate requests per second, at least 0
 * @throws RangeError for a cost, a number of viewers or a rate out of its range
 */
export function refreshIntervals(areas: readonly PacedArea[], rate: number, limits: PaceLimits): number[] {
  if (!(rate >= 0)) throw new RangeError(`the rate must be at least 0 requests per second, not ${rate}`);
  for (const { cost, viewers } of areas) {
    if (!(cost > 0 && viewers > 0))
      throw new RangeError(`an area's cost and viewers must be more than 0, not ${cost} and ${viewers}`);
  }
  const perMs = rate / 1000;
  const costs = areas.reduce((sum, { cost }) => sum + cost, 0);
  const { minMs } = limits;
  if (costs <= perMs * minMs) return areas.map(() => minMs);
  if (perMs === 0) return areas.map(() => Number.POSITIVE_INFINITY);

  const maxMs = maxOf(costs / perMs, limits);
  if (maxMs * perMs <= costs) return areas.map(() => costs / perMs);
  const factors = areas.map(({ cost, viewers }) => Math.sqrt(cost / viewers));
  const scale = scaleThatSpends(perMs, areas, factors, minMs, maxMs);
  return factors.map((factor) => clamp(scale * factor, minMs, maxMs));
}

/** Where the maximum cannot be kept, no picture may get more than this many times as old as with equal intervals. */
const STRETCH_MAX = 2;

/**
 * The maximum interval, given the one that all areas would have if theirs were equal. While that one is within the limit, so
 * is every interval. Beyond the limit the maximum grows with it, slowly at first, so that there is no step at the limit.
 */
function maxOf(equalMs: number, { maxMs }: PaceLimits): number {
  return equalMs <= maxMs ? maxMs : equalMs * Math.min(STRETCH_MAX, equalMs / maxMs);
}

/**
 * The factor of the square-root rule at which the clamped intervals spend exactly the rate. Spending falls with the scale, and
 * between two scales at which some area reaches a limit it is `fixed + free / scale`: the segment is searched, the scale
 * computed.
 */
function scaleThatSpends(
  perMs: number,
  areas: readonly PacedArea[],
  factors: readonly number[],
  minMs: number,
  maxMs: number,
): number {
  const spent = (scale: number) =>
    areas.reduce((sum, { cost }, i) => sum + cost / clamp(scale * (factors[i] as number), minMs, maxMs), 0);
  const meets = factors.flatMap((factor) => [minMs / factor, maxMs / factor]).sort((a, b) => a - b);
  let low = 0;
  let high = meets.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spent(meets[middle] as number) <= perMs) high = middle;
    else low = middle + 1;
  }
  const end = meets[high] as number;
  const inside = ((meets[high - 1] ?? 0) + end) / 2;
  let fixed = 0;
  let free = 0;
  areas.forEach(({ cost }, i) => {
    const factor = factors[i] as number;
    const interval = inside * factor;
    if (interval < minMs) fixed += cost / minMs;
    else if (interval > maxMs) fixed += cost / maxMs;
    else free += cost / factor;
  });
  // Rounding can leave nothing free in a segment of zero width.
  return perMs > fixed && free > 0 ? Math.min(end, free / (perMs - fixed)) : end;
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

/** Share of the interval by which refreshes that began together drift apart, either way. */
const JITTER = 0.1;

/** The interval ±10%. @param random uniform in [0, 1) */
export function jittered(intervalMs: number, random: () => number): number {
  return intervalMs * (1 + JITTER * (2 * random() - 1));
}
