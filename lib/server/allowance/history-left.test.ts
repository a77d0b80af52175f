import { expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { LedgerState } from './ledger.ts';
import { historyLeft as leftNow } from './shares.ts';

const NOW = upstreamInstant(Date.UTC(2026, 10, 21, 11, 59, 30));
const resetsAt = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const alone = { operator: 'alice', hasOtherOperators: false, livePerS: 0 };
const state: LedgerState = {
  minute: { remaining: 40, reserved: 0, size: 60, resetsAt },
  day: { remaining: 4000, reserved: 0, size: 5000, resetsAt },
  spentToday: 1000,
  spentOnHistoryToday: 100,
  historyUses: new Map(),
  pausedUntil: undefined,
};

const historyLeft = (of: LedgerState, change: Partial<typeof alone> = {}) => leftNow(of, { ...alone, ...change }, NOW);

test('History has the least of minute, day and its share left, beyond the reserves', () => {
  expect(historyLeft(state)).toBe(34);
  expect(historyLeft({ ...state, minute: { ...state.minute, reserved: 30 } })).toBe(4);
  expect(historyLeft({ ...state, day: { ...state.day, remaining: 260 } })).toBe(10);
  expect(historyLeft({ ...state, spentOnHistoryToday: 1490 })).toBe(10);
  expect(historyLeft({ ...state, spentOnHistoryToday: 1600 })).toBe(0);
});

test('A minute without a report has as much as the ones before it; an unknown size is not guessed', () => {
  expect(historyLeft({ ...state, minute: { ...state.minute, remaining: undefined } })).toBe(54);
  expect(historyLeft({ ...state, minute: { ...state.minute, size: undefined } })).toBeUndefined();
  expect(historyLeft({ ...state, pausedUntil: resetsAt })).toBe(0);
});

test('Leaves live refreshes their need until the end of the minute, except for a tenth of the minute', () => {
  expect(historyLeft(state, { livePerS: 0.5 })).toBe(34 - 15);
  expect(historyLeft({ ...state, minute: { ...state.minute, remaining: 60 } }, { livePerS: 100 })).toBe(54 - 24);
});

test('Is the number for one operator, without the requests that the others are expected to want', () => {
  const uses = { ...state, minute: { ...state.minute, remaining: 6000, size: 6000 }, spentOnHistoryToday: 1000 };
  const historyUses = new Map([
    ['alice', { requests: 0, askedAt: NOW }],
    ['bob', { requests: 1000, askedAt: NOW }],
  ]);
  expect(historyLeft({ ...uses, historyUses }, { operator: 'alice' })).toBe(500);
  expect(historyLeft({ ...uses, historyUses }, { operator: 'bob' })).toBe(0);
  expect(historyLeft(uses, { hasOtherOperators: true })).toBe(334);
});
