import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PACE_LIMITS } from './pace-limits.ts';
import { jittered, type PacedArea, refreshIntervals } from './refresh-intervals.ts';

const { shortestMs, longestMs } = PACE_LIMITS;

const area = fc.record({ cost: fc.integer({ min: 1, max: 50 }), viewers: fc.integer({ min: 1, max: 1000 }) });
const areas = fc.array(area, { minLength: 1, maxLength: 40 });
/** Requests a second, from one in 28 hours to a thousand, each order of magnitude as often. */
const rate = fc.double({ min: -5, max: 3, noNaN: true }).map((exponent) => 10 ** exponent);

const spentPerS = (list: readonly PacedArea[], intervals: readonly number[]) =>
  list.reduce((sum, { cost }, i) => sum + cost / ((intervals[i] as number) / 1000), 0);
/** What viewers see on average: half an interval, over all viewers. */
const age = (list: readonly PacedArea[], intervals: readonly number[]) =>
  list.reduce((sum, { viewers }, i) => sum + (viewers * (intervals[i] as number)) / 2, 0);

describe('refreshIntervals', () => {
  test('never spend more than the rate, and all of it unless every area is at the shortest interval', () => {
    fc.assert(
      fc.property(areas, rate, (list, perS) => {
        const intervals = refreshIntervals(list, perS, PACE_LIMITS);
        const spent = spentPerS(list, intervals);
        expect(spent).toBeLessThanOrEqual(perS + 1e-9);
        if (intervals.some((interval) => interval > shortestMs)) expect(spent).toBeGreaterThanOrEqual(perS - 1e-9);
      }),
      { numRuns: 1000 },
    );
  });

  test('stay within the limits while the longest interval everywhere is affordable, and grow together when it is not', () => {
    fc.assert(
      fc.property(areas, rate, (list, perS) => {
        const intervals = refreshIntervals(list, perS, PACE_LIMITS);
        const costs = list.reduce((sum, { cost }) => sum + cost, 0);
        const equalMs = (costs / perS) * 1000;
        const bound = equalMs <= longestMs ? longestMs : 2 * equalMs;
        expect(Math.min(...intervals)).toBeGreaterThanOrEqual(shortestMs);
        expect(Math.max(...intervals)).toBeLessThanOrEqual(bound * (1 + 1e-12));
      }),
    );
  });

  test('another viewer never makes an area’s interval longer', () => {
    fc.assert(
      fc.property(areas, rate, fc.nat(), fc.integer({ min: 1, max: 1000 }), (list, perS, pick, more) => {
        const index = pick % list.length;
        const watched = list.map((each, i) => (i === index ? { ...each, viewers: each.viewers + more } : each));
        const before = refreshIntervals(list, perS, PACE_LIMITS)[index] as number;
        const after = refreshIntervals(watched, perS, PACE_LIMITS)[index] as number;
        expect(after).toBeLessThanOrEqual(before * (1 + 1e-9));
      }),
      { numRuns: 500 },
    );
  });

  test('a viewer’s picture is on average never older than with equal intervals at the same rate', () => {
    fc.assert(
      fc.property(areas, rate, (list, perS) => {
        const costs = list.reduce((sum, { cost }) => sum + cost, 0);
        const equal = list.map(() => Math.max(shortestMs, (costs / perS) * 1000));
        const ours = refreshIntervals(list, perS, PACE_LIMITS);
        expect(age(list, ours)).toBeLessThanOrEqual(age(list, equal) * (1 + 1e-9));
      }),
      { numRuns: 500 },
    );
  });

  test('no other intervals within the limits give younger pictures for the same spending', () => {
    // Moving a little of the rate from one area to another, where the limits allow it, must not pay.
    const affordable = fc.tuple(areas, fc.double({ min: 1.05, max: 20, noNaN: true }));
    fc.assert(
      fc.property(affordable, fc.nat(), fc.nat(), ([list, plenty], pickA, pickB) => {
        const costs = list.reduce((sum, { cost }) => sum + cost, 0);
        const perS = (costs / (longestMs / 1000)) * plenty;
        const ours = refreshIntervals(list, perS, PACE_LIMITS);
        const [a, b] = [pickA % list.length, pickB % list.length];
        fc.pre(a !== b);
        const movedMs = 0.001 * Math.min(...ours.map((interval, i) => (list[i]?.cost ?? 0) / interval));
        const moved = ours.map((interval, i) => {
          const cost = list[i]?.cost ?? 0;
          return i === a || i === b ? cost / (cost / interval + (i === a ? movedMs : -movedMs)) : interval;
        });
        fc.pre((moved[a] as number) >= shortestMs && (moved[b] as number) <= longestMs);
        expect(age(list, ours)).toBeLessThanOrEqual(age(list, moved) * (1 + 1e-9));
      }),
      { numRuns: 500 },
    );
  });

  test('1 and 100 viewers at the same cost, intervals as 10 to 1', () => {
    const list = [
      { cost: 1, viewers: 100 },
      { cost: 1, viewers: 1 },
    ];
    const [many, one] = refreshIntervals(list, 0.11, PACE_LIMITS) as [number, number];
    expect(many).toBeCloseTo(10_000, 6);
    expect(one).toBeCloseTo(100_000, 6);
  });

  test('nothing left: no refresh at all', () => {
    expect(refreshIntervals([{ cost: 1, viewers: 1 }], 0, PACE_LIMITS)).toEqual([Number.POSITIVE_INFINITY]);
    expect(refreshIntervals([], 0, PACE_LIMITS)).toEqual([]);
  });

  test.each([
    [[{ cost: 0, viewers: 1 }], 1],
    [[{ cost: 1, viewers: 0 }], 1],
    [[{ cost: Number.NaN, viewers: 1 }], 1],
    [[{ cost: 1, viewers: 1 }], -1],
    [[{ cost: 1, viewers: 1 }], Number.NaN],
  ])('%j at a rate of %d is refused', (list, perS) => {
    expect(() => refreshIntervals(list, perS, PACE_LIMITS)).toThrow(RangeError);
  });
});

test('the interval is spread by a tenth either way and is right on average', () => {
  expect(jittered(10_000, () => 0)).toBeCloseTo(9000, 9);
  expect(jittered(10_000, () => 0.5)).toBe(10_000);
  expect(jittered(10_000, () => 1)).toBeCloseTo(11_000, 9);
});
