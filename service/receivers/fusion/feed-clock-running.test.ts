import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RunningClock } from './feed-clock.ts';

const NOW_MS = Date.UTC(2026, 10, 26, 12);
const HOUR_MS = 3_600_000;

function learnt(messages: readonly (readonly [feedS: number, arrivedS: number])[]): RunningClock {
  const clock = new RunningClock();
  for (const [feedS, arrivedS] of messages) clock.learn(NOW_MS + feedS * 1000, NOW_MS + arrivedS * 1000);
  return clock;
}

const seconds = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('a clock', () => {
  test('counts as running from the third answer on, however wrong', () => {
    fc.assert(
      fc.property(fc.integer({ min: -40 * 24 * 3600, max: 40 * 24 * 3600 }), (errorS) => {
        expect(learnt(seconds(2).map((n) => [errorS + n, n])).isRunning).toBe(false);
        expect(learnt(seconds(3).map((n) => [errorS + n, n])).isRunning).toBe(true);
        expect(learnt(seconds(600).map((n) => [errorS + n * 1.001, n])).isRunning).toBe(true);
      }),
    );
  });

  test.each([
    ['of one old message', [[-HOUR_MS, 0]]],
    ['of two dead copies behind one address', seconds(60).map((n) => [n % 2 === 0 ? -3600 : -3598.8, n])],
    ['of old lines out of a buffer', seconds(100).map((n) => [-3600 + n / 10, n / 1000])],
    [
      'of an old message after another one',
      [
        [-9000, 0],
        [-3600, 1],
        [-1800, 2],
      ],
    ],
  ] as const)('does not run: that %s', (_, messages) => {
    expect(learnt(messages as readonly (readonly [number, number])[]).isRunning).toBe(false);
  });

  test('must prove to run again after half a minute, when its machine may have restarted', () => {
    const ran = seconds(20).map((n) => [n - 3600, n] as const);
    expect(learnt(ran).isRunning).toBe(true);
    expect(learnt([...ran, [-9000, 60]]).isRunning).toBe(false);
    expect(learnt([...ran, [-3540, 60]]).isRunning).toBe(false);
    expect(learnt([...ran, [-3540, 60], [-3539, 61], [-3538, 62]]).isRunning).toBe(true);
  });

  test('must prove to run again after it was set', () => {
    const ran = seconds(20).map((n) => [n - 3600, n] as const);
    expect(learnt([...ran, [20, 20]]).isRunning).toBe(false);
    expect(learnt([...ran, [20, 20], [21, 21], [22, 22]]).isRunning).toBe(true);
  });
});
