import { expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { statusFailureMessage } from './status-failure-message.ts';

const since = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 31));
const kinds = ['unreachable', 'refused', 'unreadable', 'signed-out'] as const;

test('each failure has a message of its own, with its time if that is known', () => {
  expect(statusFailureMessage({ kind: 'unreachable', since }, 'utc')).toBe('No answer from Lookout since 12:04:31Z');
  expect(statusFailureMessage({ kind: 'unreachable', since: undefined }, 'utc')).toBe('No answer from Lookout');
  expect(new Set(kinds.map((kind) => statusFailureMessage({ kind, since }, 'utc'))).size).toBe(kinds.length);
});
