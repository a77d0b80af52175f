import { expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { LedgerState } from '../ports/ledger.ts';
import { historyLeft } from './history-left.ts';

const resetsAt = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const state: LedgerState = {
  minute: { remaining: 40, reserved: 0, size: 60, resetsAt },
  day: { remaining: 4000, reserved: 0, size: 5000, resetsAt },
  spentToday: 1000,
  spentOnHistoryToday: 100,
  pausedUntil: undefined,
};

test('What is left for history is the least of minute, day and its share, beyond the reserves', () => {
  expect(historyLeft(state)).toBe(34);
  expect(historyLeft({ ...state, minute: { ...state.minute, reserved: 30 } })).toBe(4);
  expect(historyLeft({ ...state, day: { ...state.day, remaining: 260 } })).toBe(10);
  expect(historyLeft({ ...state, spentOnHistoryToday: 1490 })).toBe(10);
  expect(historyLeft({ ...state, spentOnHistoryToday: 1600 })).toBe(0);
});

test('A minute of which nothing was reported has as much as those before; a size that is not known is not guessed', () => {
  expect(historyLeft({ ...state, minute: { ...state.minute, remaining: undefined } })).toBe(54);
  expect(historyLeft({ ...state, minute: { ...state.minute, size: undefined } })).toBeUndefined();
  expect(historyLeft({ ...state, pausedUntil: resetsAt })).toBe(0);
});
