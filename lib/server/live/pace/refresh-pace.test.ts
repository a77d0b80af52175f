import { describe, expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { AllowanceWindow, LedgerState } from '../../allowance/ledger.ts';
import { paceRate } from './refresh-pace.ts';

const allowance = (known: Partial<AllowanceWindow>): AllowanceWindow => ({
  remaining: undefined,
  reserved: 0,
  size: undefined,
  resetsAt: upstreamInstant(0),
  ...known,
});
const state = (minute: Partial<AllowanceWindow>, day: Partial<AllowanceWindow>): LedgerState => ({
  minute: allowance(minute),
  day: allowance(day),
  spentToday: 0,
  spentOnHistoryToday: 0,
  historyUses: new Map(),
  pausedUntil: undefined,
});

describe('paceRate', () => {
  test('spreads what the day has left above a twentieth of its size over the expected demand', () => {
    expect(paceRate(state({ size: 600 }, { remaining: 550, size: 1000 }), 1000)).toBe(0.5);
  });

  test('does not spend reserved requests again', () => {
    expect(paceRate(state({}, { remaining: 550, reserved: 100, size: 1000 }), 1000)).toBe(0.4);
  });

  test('uses at most nine tenths of a minute’s size', () => {
    expect(paceRate(state({ size: 60 }, { remaining: 100_000, size: 100_000 }), 10)).toBe(0.9);
    expect(paceRate(state({ size: 60 }, {}), 10)).toBe(0.9);
  });

  test('paces a new day by its size until the first answer reports what remains', () => {
    expect(paceRate(state({}, { size: 1000 }), 1000)).toBe(0.95);
  });

  test('is 0 at the floor and below, never negative', () => {
    expect(paceRate(state({ size: 60 }, { remaining: 50, size: 1000 }), 1000)).toBe(0);
    expect(paceRate(state({ size: 60 }, { remaining: 3, size: 1000 }), 1000)).toBe(0);
  });

  test('is undefined, not 0, while nothing is known', () => {
    expect(paceRate(state({}, {}), 1000)).toBeUndefined();
  });
});
