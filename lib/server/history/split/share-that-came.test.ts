import { expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { shareThatCame } from './share-that-came.ts';

const window = { start: upstreamInstant(0), end: upstreamInstant(300_000) };
const usual = () => 0.003;
const countOf = (times: readonly number[]) => (startMs: number, endMs: number) =>
  times.filter((at) => at >= startMs && at < endMs).length;

/** A burst of 3000 among the usual 900; every fourth record came. */
const quiet = Array.from({ length: 900 }, (_, index) => (index + 0.5) / usual());
const burst = Array.from({ length: 3000 }, (_, index) => 150_000 + index * 5);
const came = [...quiet, ...burst].filter((_, index) => index % 4 === 0);

test('the share is estimated from quiet times, whatever the size of the burst', () => {
  expect(shareThatCame(window, countOf(came), usual)).toBeCloseTo(0.25, 1);
});

test('a window too short to have quiet times gives no estimate', () => {
  const short = { start: upstreamInstant(0), end: upstreamInstant(30_000) };
  expect(shareThatCame(short, countOf(came), usual)).toBeUndefined();
});

test('a usual rate of 0, or an empty answer, gives no estimate', () => {
  expect(shareThatCame(window, countOf(came), () => 0)).toBeUndefined();
  expect(shareThatCame(window, countOf([]), usual)).toBeUndefined();
});
