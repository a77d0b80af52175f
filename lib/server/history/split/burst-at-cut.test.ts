import { expect, test } from 'vitest';
import { burstAtCut } from './burst-at-cut.ts';

const USUAL = 0.003;
/** 300 s at the usual rate, then 400 records in four seconds. */
const quiet = Array.from({ length: 900 }, (_, index) => index / USUAL);
const burst = Array.from({ length: 400 }, (_, index) => 300_000 + index * 10);
const endsInBurst = [...quiet, ...burst];

test('a burst in which an answer was cut off is expected to continue as long and as dense as seen', () => {
  const beyond = burstAtCut(endsInBurst.toReversed(), 'later', USUAL);
  expect(beyond?.startMs).toBe(303_990);
  expect(beyond?.endMs).toBeGreaterThan(307_500);
  expect(beyond?.endMs).toBeLessThan(308_500);
  expect((beyond?.records ?? 0) / 400).toBeCloseTo(1, 1);
});

test('it lies before the cut where the answer has the latest records', () => {
  const beyond = burstAtCut(
    endsInBurst.map((at) => -at).sort((a, b) => a - b),
    'earlier',
    USUAL,
  );
  expect(beyond?.endMs).toBe(-303_990);
  expect(beyond?.startMs).toBeLessThan(-307_000);
});

test('a cut at the usual rate means no burst', () => {
  expect(burstAtCut(quiet.toReversed(), 'later', USUAL)).toBeUndefined();
});

test('many records at one instant are a burst too', () => {
  const atOnce = Array.from({ length: 100 }, () => 300_000);
  expect(burstAtCut(atOnce, 'later', USUAL)).toEqual({ startMs: 300_000, endMs: 300_001, records: 75 });
});
