import { expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { replayTimeText } from './replay-time-text.ts';

const now = upstreamInstant(Date.UTC(2026, 10, 21, 11, 4, 42));

test('the replay time is in UTC, with the date if it is not today, and how long ago it was', () => {
  expect(replayTimeText(upstreamInstant(Date.UTC(2026, 10, 21, 10, 37, 42)), now, 'utc')).toBe(
    '10:37:42Z · 27 min ago',
  );
  expect(replayTimeText(upstreamInstant(Date.UTC(2026, 10, 20, 10, 37, 42)), now, 'utc')).toBe(
    '2026-11-20 10:37:42Z · 24 h 27 min ago',
  );
  expect(replayTimeText(upstreamInstant(Date.UTC(2026, 10, 21, 10, 37, 42)), undefined, 'utc')).toBe(
    '2026-11-21 10:37:42Z',
  );
});

test('local time is added to UTC, never replaces it', () => {
  expect(replayTimeText(upstreamInstant(Date.UTC(2026, 10, 21, 10, 37, 42)), now, 'local')).toMatch(
    /^10:37:42Z · \d\d:37:42 [+-]\d\d:\d\d · /,
  );
});
