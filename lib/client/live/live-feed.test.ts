import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { localInstant, upstreamInstant } from '#lib/time/instant.ts';

import { ageWithoutAnswers, LiveFeed } from './live-feed.ts';

const view = { west: 8, south: 47, east: 9, north: 48 };

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('Tracks age each second, but not twice if an answer arrives each second, up to 400 ms late', () => {
  const monotonicMs = () => vi.getMockedSystemTime()?.getTime() ?? 0;
  const feed = new LiveFeed({ monotonicMs, wallNow: () => localInstant(monotonicMs()) });
  const answer = () => {
    const asOf = upstreamInstant(monotonicMs());
    feed.apply({ asOf, delayMs: 0, nextPollMs: 1000, requested: view, covered: [view], capped: false, layers: {} });
    feed.age();
  };
  const stop = ageWithoutAnswers(feed);
  let changes = 0;
  feed.subscribe(() => changes++);
  vi.advanceTimersByTime(3000);
  expect(changes).toBe(3);
  for (let answers = 0; answers < 5; answers++) {
    answer();
    vi.advanceTimersByTime(1400);
  }
  expect(changes).toBe(8);
  vi.advanceTimersByTime(3100);
  expect(changes, 'a second apart again').toBe(12);
  stop();
  vi.advanceTimersByTime(5000);
  expect(changes).toBe(12);
});
