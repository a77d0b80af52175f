import 'server-only';
import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { type Expected, requestCost } from './request-cost.ts';

/** The step is exact in binary and in seven decimals. */
const FINEST_STEP_DEG = 2 ** -6;
/** A coarse cut moves least when counts change a little. */
const COARSEST_STEP_DEG = 4;

/** More is beyond the world's air traffic: such an area is read by cursor. */
const SPLIT_MAX = 32;

/** Splits an area into disjoint ones: they can be requested concurrently, and no cursor drifts. */
export function splitByCount(area: Bbox, expected: Expected): readonly Bbox[] {
  const cost = requestCost(expected(area));
  if (cost === 1 || cost > SPLIT_MAX) return [area];
  const sides: readonly Side[] =
    lonSpanDeg(area) >= latSpanDeg(area) ? [ACROSS_LON, ACROSS_LAT] : [ACROSS_LAT, ACROSS_LON];
  for (const side of sides) {
    for (const lowerCost of evenestFirst(cost)) {
      const cut = cutLine(area, side, lowerCost, cost - lowerCost, expected);
      if (cut !== undefined) return side.halves(area, cut).flatMap((half) => splitByCount(half, expected));
    }
  }
  return [area];
}

interface Side {
  low(area: Bbox): number;
  high(area: Bbox): number;
  halves(area: Bbox, atDeg: number): readonly [Bbox, Bbox];
}

const ACROSS_LON: Side = {
  low: ({ west }) => west,
  high: ({ east }) => east,
  halves: (area, atDeg) => [
    { ...area, east: atDeg },
    { ...area, west: atDeg },
  ],
};

const ACROSS_LAT: Side = {
  low: ({ south }) => south,
  high: ({ north }) => north,
  halves: (area, atDeg) => [
    { ...area, north: atDeg },
    { ...area, south: atDeg },
  ],
};

/** @returns 1 to cost - 1, the most even split first */
function evenestFirst(cost: number): readonly number[] {
  const costs = Array.from({ length: cost - 1 }, (_, index) => index + 1);
  return costs.sort((a, b) => Math.abs(2 * a - cost) - Math.abs(2 * b - cost));
}

/** The cut on the coarsest grid; `undefined` where there is none. */
function cutLine(area: Bbox, side: Side, lowerCost: number, upperCost: number, expected: Expected): number | undefined {
  const first = Math.floor(side.low(area) / FINEST_STEP_DEG) + 1;
  const last = Math.ceil(side.high(area) / FINEST_STEP_DEG) - 1;
  const lower = (line: number) => expected(side.halves(area, line * FINEST_STEP_DEG)[0]);
  const upper = (line: number) => expected(side.halves(area, line * FINEST_STEP_DEG)[1]);
  // Counts grow along the side.
  const max = lastLine(first, last, (line) => requestCost(lower(line)) <= lowerCost);
  const min = lastLine(first, last, (line) => requestCost(upper(line)) > upperCost) + 1;
  if (min > max) return undefined;
  const evenCount = (expected(area) * lowerCost) / (lowerCost + upperCost);
  const even = lastLine(min, max, (line) => lower(line) <= evenCount);
  for (let lines = COARSEST_STEP_DEG / FINEST_STEP_DEG; lines > 1; lines /= 2) {
    const beside = [Math.floor(even / lines) * lines, Math.ceil(even / lines) * lines].find(
      (line) => line >= min && line <= max,
    );
    if (beside !== undefined) return beside * FINEST_STEP_DEG;
  }
  return Math.max(min, even) * FINEST_STEP_DEG;
}

/** The last line that passes, if all before a passing line pass; first - 1 where none does. */
function lastLine(first: number, last: number, passes: (line: number) => boolean): number {
  let low = first - 1;
  let high = last;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (passes(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
