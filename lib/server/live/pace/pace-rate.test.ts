import { describe, expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { AllowanceWindow, LedgerState } from '../../ports/ledger.ts';
import { paceRate } from './pace-rate.ts';

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
  pausedUntil: undefined,
});

describe('paceRate', () => {
  test('what the day has left above a twentieth of its size lasts for the expected demand', () => {
    expect(paceRate(state({ size: 600 }, { remaining: 550, size: 1000 }), 1000)).toBe(0.5);
  });

  test('what is granted already is not there to be spent again', () => {
    expect(paceRate(state({}, { remaining: 550, reserved: 100, size: 1000 }), 1000)).toBe(0.4);
  });

  test('no minute is asked for more than nine tenths of its size', () => {
    expect(paceRate(state({ size: 60 }, { remaining: 100_000, size: 100_000 }), 10)).toBe(0.9);
    expect(paceRate(state({ size: 60 }, {}), 10)).toBe(0.9);
  });

  test('a day that has just begun is paced by its size, before the first answer tells what is left', () => {
    expect(paceRate(state({}, { size: 1000 }), 1000)).toBe(0.95);
  });

  test('at the floor and below nothing is spent: never a negative rate', () => {
    expect(paceRate(state({ size: 60 }, { remaining: 50, size: 1000 }), 1000)).toBe(0);
    expect(paceRate(state({ size: 60 }, { remaining: 3, size: 1000 }), 1000)).toBe(0);
  });

  test('nothing known is not a rate of 0', () => {
    expect(paceRate(state({}, {}), 1000)).toBeUndefined();
  });
});
