import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PollRhythm } from './polling.ts';

function poll(isNewAt: (ms: number, lastMs: number) => number | undefined) {
  const rhythm = new PollRhythm(1000);
  const delaysMs: { readonly atMs: number; readonly delayMs: number }[] = [];
  let polls = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (let ms = 0; ms < 60_000; polls += 1) {
    const delayMs = isNewAt(ms, lastMs);
    if (delayMs !== undefined) delaysMs.push({ atMs: ms, delayMs });
    lastMs = ms;
    ms += rhythm.nextMs(delayMs !== undefined);
  }
  return { delaysMs, polls };
}

const writtenEvery = (periodMs: number, phaseMs: number) => (ms: number, lastMs: number) => {
  const writtenMs = Math.floor((ms - phaseMs) / periodMs) * periodMs + phaseMs;
  return writtenMs > lastMs ? ms - writtenMs : undefined;
};

test('reads each version of a file that is written once a second within 0.1 s, with at most two polls each', () => {
  fc.assert(
    fc.property(fc.nat(999), fc.integer({ min: 990, max: 1010 }), (phaseMs, periodMs) => {
      const { delaysMs, polls } = poll(writtenEvery(periodMs, phaseMs));
      const steady = delaysMs.filter(({ atMs }) => atMs > 16_000);
      for (const { delayMs } of steady) expect(delayMs).toBeLessThanOrEqual(110);
      for (const [index, { atMs }] of steady.entries()) {
        if (index > 0) expect(atMs - steady[index - 1]!.atMs).toBeLessThan(1.5 * periodMs);
      }
      expect(polls).toBeLessThanOrEqual(120);
    }),
  );
});

test('polls once per interval if answers are made per request, or no longer written', () => {
  expect(poll(() => 0).polls).toBeLessThanOrEqual(62);
  expect(poll(() => undefined).polls).toBeLessThanOrEqual(63);
});

test('reads a file that is written every few seconds within a second', () => {
  fc.assert(
    fc.property(fc.nat(999), fc.integer({ min: 1500, max: 7000 }), (phaseMs, periodMs) => {
      const { delaysMs, polls } = poll(writtenEvery(periodMs, phaseMs));
      for (const { atMs, delayMs } of delaysMs) if (atMs > 0) expect(delayMs).toBeLessThanOrEqual(1000);
      expect(polls).toBeLessThanOrEqual(230);
    }),
  );
});
