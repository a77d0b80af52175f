import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { atMostEvery } from './at-most-every.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function ranAt(calledAt: readonly number[], untilMs = 1000): number[] {
  const ran: number[] = [];
  const startedMs = Date.now();
  const paced = atMostEvery(100, () => ran.push(Date.now() - startedMs));
  for (const atMs of calledAt) setTimeout(paced, atMs);
  vi.advanceTimersByTime(untilMs);
  return ran;
}

test('rare calls run at once', () => {
  expect(ranAt([1, 101, 500])).toEqual([1, 101, 500]);
});

test('calls in every frame run at the interval, and once more after the last one', () => {
  expect(ranAt(Array.from({ length: 21 }, (_, frame) => frame * 16))).toEqual([0, 100, 200, 300, 400]);
});

test('a postponed call does not run after stop', () => {
  let done = 0;
  const paced = atMostEvery(100, () => done++);
  paced();
  paced();
  paced.stop();
  vi.advanceTimersByTime(1000);
  expect(done).toBe(1);
});
