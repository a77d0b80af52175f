import { expect, test } from 'vitest';
import { statusFailureWords } from './status-failure-words.ts';

const sinceMs = Date.UTC(2026, 10, 21, 12, 4, 31);
const kinds = ['unreachable', 'refused', 'unreadable', 'signed-out'] as const;

test('each failure has words of its own, with the time where that is known', () => {
  expect(statusFailureWords({ kind: 'unreachable', sinceMs }, 'utc')).toBe('No answer from Lookout since 12:04:31Z');
  expect(statusFailureWords({ kind: 'unreachable', sinceMs: undefined }, 'utc')).toBe('No answer from Lookout');
  expect(new Set(kinds.map((kind) => statusFailureWords({ kind, sinceMs }, 'utc'))).size).toBe(kinds.length);
});
