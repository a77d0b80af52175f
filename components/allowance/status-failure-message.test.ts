import { expect, test } from 'vitest';
import { statusFailureMessage } from './status-failure-message.ts';

const sinceMs = Date.UTC(2026, 10, 21, 12, 4, 31);
const kinds = ['unreachable', 'refused', 'unreadable', 'signed-out'] as const;

test('each failure has words of its own, with the time where that is known', () => {
  expect(statusFailureMessage({ kind: 'unreachable', sinceMs }, 'utc')).toBe('No answer from Lookout since 12:04:31Z');
  expect(statusFailureMessage({ kind: 'unreachable', sinceMs: undefined }, 'utc')).toBe('No answer from Lookout');
  expect(new Set(kinds.map((kind) => statusFailureMessage({ kind, sinceMs }, 'utc'))).size).toBe(kinds.length);
});
