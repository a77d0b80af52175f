import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PACE_LIMITS } from './pace-limits.ts';
import { jittered, type PacedArea, refreshIntervals } from './refresh-intervals.ts';

const { minMs, maxMs } = PACE_LIMITS;

const area = fc.record({ cost: fc.integer({ min: 1, max: 50 }), viewers: fc.integer({ min: 1, max: 1000 }) });
const areas = fc.array(area, { minLength: 1, maxLength: 40 });
/** Requests a second, from one in 28 hours to a thousand, each order of magnitude as often. */
const rate = fc.double({ min: -5, max: 3, noNaN: true }).map((exponent) => 10 ** exponent);

const spentPerS = (list: readonly PacedArea[], intervals: readonly number[]) =>
  list.reduce((sum, { cost }, i) => sum + cost / ((intervals[i] as number) / 1000), 0);
/** The age that viewers see on average: half an interval, summed over all viewers. */
const age = (list: readonly PacedArea[], intervals: readonly number[]) =>
  list.reduce((sum, { viewers }, i) => sum + (viewers * (intervals[i] as number)) / 2, 0);

describe('refreshIntervals', () => {
  test('never spend more than the rate, and spend all of it unless every area is at the minimum', () => {
    fc.assert(
      fc.property(areas, rate, (list, perS) => {
        const intervals = refreshIntervals(list, perS, PACE_LIMITS);
        const spent = spentPerS(list, intervals);
        expect(spent).toBeLessThanOrEqual(perS + 1e-9);
        if (intervals.some((interval) => interval > minMs)) expect(spent).toBeGreaterThanOrEqual(perS - 1e-9);
      }),
      { numRuns: 1000 },
    );
  });

  test('stay within the limits while the maximum everywhere is affordable, and grow together when it is not', () => {
    fc.assert(
      fc.property(areas, rate, (list, perS) => {
        const intervals = refreshIntervals(list, perS, PACE_LIMITS);
        const costs = list.reduce((sum, { cost }) => sum + cost, 0);
        const equalMs = (costs / perS) * 1000;
        const bound = equalMs <= maxMs ? maxMs : 2 * equalMs;
        expect(Math.min(...intervals)).toBeGreaterThanOrEqual(minMs);
        expect(Math.max(...intervals)).toBeLessThanOrEqual(bound * (1 + 1e-12));
      }),
    );
  });

  test('an additional viewer never makes an area’s interval longer', () => {
    fc.assert(
      fc.property(areas, rate, fc.nat(), fc.integer({ min: 1, max: 1000 }), (list, perS, pick, more) => {
        const index = pick % list.length;
        const viewed = list.map((each, i) => (i === index ? { ...each, viewers: each.viewers + more } : each));
        const before = refreshIntervals(list, perS, PACE_LIMITS)[index] as number;
        const after = refreshIntervals(viewed, perS, PACE_LIMITS)[index] as number;
        expect(after).toBeLessThanOrEqual(before * (1 + 1e-9));
      }),
      { numRuns: 500 },
    );
  });

  test('give pictures that are on average never older than with equal intervals at the same rate', () => {
    fc.assert(
      fc.property(areas, rate, (list, perS) => {
        const costs = list.reduce((sum, { cost }) => sum + cost, 0);
        const equal = list.map(() => Math.max(minMs, (costs / perS) * 1000));
        const ours = refreshIntervals(list, perS, PACE_LIMITS);
        expect(age(list, ours)).toBeLessThanOrEqual(age(list, equal) * (1 + 1e-9));
      }),
      { numRuns: 500 },
    );
  });

  test('give the youngest pictures possible within the limits for the same spending', () => {
    // Moving a little of the rate from one area to another, where the limits allow it, must not help.
    const affordable = fc.tuple(areas, fc.double({ min: 1.05, max: 20, noNaN: true }));
    fc.assert(
      fc.property(affordable, fc.nat(), fc.nat(), ([list, plenty], pickA, pickB) => {
        const costs = list.reduce((sum, { cost }) => sum + cost, 0);
        const perS = (costs / (maxMs / 1000)) * plenty;
        const ours = refreshIntervals(list, perS, PACE_LIMITS);
        const [a, b] = [pickA % list.length, pickB % list.length];
        fc.pre(a !== b);
        const movedMs = 0.001 * Math.min(...ours.map((interval, i) => (list[i]?.cost ?? 0) / interval));
        const moved = ours.map((interval, i) => {
          const cost = list[i]?.cost ?? 0;
          return i === a || i === b ? cost / (cost / interval + (i === a ? movedMs : -movedMs)) : interval;
        });
        fc.pre((moved[a] as number) >= minMs && (moved[b] as number) <= maxMs);
        expect(age(list, ours)).toBeLessThanOrEqual(age(list, moved) * (1 + 1e-9));
      }),
      { numRuns: 500 },
    );
  });

  test('are 10 to 1 for 1 and 100 viewers at the same cost', () => {
    const list = [
      { cost: 1, viewers: 100 },
      { cost: 1, viewers: 1 },
    ];
    const [many, one] = refreshIntervals(list, 0.11, PACE_LIMITS) as [number, number];
    expect(many).toBeCloseTo(10_000, 6);
    expect(one).toBeCloseTo(100_000, 6);
  });

  test('are infinite at a rate of 0', () => {
    expect(refreshIntervals([{ cost: 1, viewers: 1 }], 0, PACE_LIMITS)).toEqual([Number.POSITIVE_INFINITY]);
    expect(refreshIntervals([], 0, PACE_LIMITS)).toEqual([]);
  });

  test.each([
    [[{ cost: 0, viewers: 1 }], 1],
    [[{ cost: 1, viewers: 0 }], 1],
    [[{ cost: Number.NaN, viewers: 1 }], 1],
    [[{ cost: 1, viewers: 1 }], -1],
    [[{ cost: 1, viewers: 1 }], Number.NaN],
  ])('%j at a rate of %d is an error', (list, perS) => {
    expect(() => refreshIntervals(list, perS, PACE_LIMITS)).toThrow(RangeError);
  });
});

test('jitter moves an interval by up to a tenth either way, and keeps its average', () => {
  expect(jittered(10_000, () => 0)).toBeCloseTo(9000, 9);
  expect(jittered(10_000, () => 0.5)).toBe(10_000);
  expect(jittered(10_000, () => 1)).toBeCloseTo(11_000, 9);
});
