import { expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { shareThatCame } from './share-that-came.ts';

const window = { start: upstreamInstant(0), end: upstreamInstant(300_000) };
const usual = () => 0.003;
const countOf = (times: readonly number[]) => (startMs: number, endMs: number) =>
  times.filter((at) => at >= startMs && at < endMs).length;

/** A burst of 3000 in the usual 900, of which every fourth came. */
const quiet = Array.from({ length: 900 }, (_, index) => (index + 0.5) / usual());
const burst = Array.from({ length: 3000 }, (_, index) => 150_000 + index * 5);
const came = [...quiet, ...burst].filter((_, index) => index % 4 === 0);

test('what came of quiet times tells the share of all, whatever the burst holds', () => {
  expect(shareThatCame(window, countOf(came), usual)).toBeCloseTo(0.25, 1);
});

test('a window that is too short to have quiet times tells nothing', () => {
  const short = { start: upstreamInstant(0), end: upstreamInstant(30_000) };
  expect(shareThatCame(short, countOf(came), usual)).toBeUndefined();
});

test('where nothing is usual, or nothing came, it tells nothing', () => {
  expect(shareThatCame(window, countOf(came), () => 0)).toBeUndefined();
  expect(shareThatCame(window, countOf([]), usual)).toBeUndefined();
});
