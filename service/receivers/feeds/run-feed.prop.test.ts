import fc from 'fast-check';
import { expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { makeMinuteCount } from './run-feed.ts';

const START_MS = Date.UTC(2026, 10, 21, 12);

const events = fc.array(
  fc.record({
    passedMs: fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 150_000 })),
    count: fc.nat(20),
  }),
  { maxLength: 60 },
);

test('counts exactly the events of this second and the 59 before it', () => {
  fc.assert(
    fc.property(events, fc.integer({ min: 0, max: 120_000 }), (added, restMs) => {
      const minute = makeMinuteCount();
      let atMs = START_MS;
      const inSecond = added.map(({ passedMs, count }) => {
        atMs += passedMs;
        minute.add(upstreamInstant(atMs), count);
        return { second: Math.floor(atMs / 1000), count };
      });
      const now = Math.floor((atMs + restMs) / 1000);
      const expected = inSecond.filter(({ second }) => now - second < 60).reduce((sum, { count }) => sum + count, 0);
      expect(minute.count(upstreamInstant(atMs + restMs))).toBe(expected);
    }),
  );
});

test('starts again when the clock is set back', () => {
  const minute = makeMinuteCount();
  minute.add(upstreamInstant(START_MS), 5);
  expect(minute.count(upstreamInstant(START_MS - 10_000))).toBe(0);
  minute.add(upstreamInstant(START_MS - 9000), 2);
  expect(minute.count(upstreamInstant(START_MS))).toBe(2);
});
