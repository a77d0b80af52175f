import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { atMostEvery } from './at-most-every.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What a work that is asked for at these moments has seen, as the moments at which it was done. */
function doneAt(askedAt: readonly number[], untilMs = 1000): number[] {
  const done: number[] = [];
  const beganMs = Date.now();
  const paced = atMostEvery(100, () => done.push(Date.now() - beganMs));
  for (const atMs of askedAt) setTimeout(paced, atMs);
  vi.advanceTimersByTime(untilMs);
  return done;
}

test('what is asked for seldom is done at once', () => {
  expect(doneAt([1, 101, 500])).toEqual([1, 101, 500]);
});

test('what is asked for with every frame is done at the pace, and once more after the last time', () => {
  expect(doneAt(Array.from({ length: 21 }, (_, frame) => frame * 16))).toEqual([0, 100, 200, 300, 400]);
});

test('what was put off is not done after it was stopped', () => {
  let done = 0;
  const paced = atMostEvery(100, () => done++);
  paced();
  paced();
  paced.stop();
  vi.advanceTimersByTime(1000);
  expect(done).toBe(1);
});
