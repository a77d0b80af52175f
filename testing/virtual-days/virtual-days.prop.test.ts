import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { runDays } from './run-days.ts';
import { randomScenario, type Scenario } from './scenario.ts';

/** From a random time of the first to the midnight after the second. */
const DAYS = 2;
/** Without another consumer: no rule can foresee what that spends. */
const alone = (seed: number): Scenario => ({ ...randomScenario(seed, DAYS), othersPerDay: 0 });
const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

describe('the real engine through random days', () => {
  test('overspends no allowance, leaves no place unread and throws nothing, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        const { refused, failures, longestUnread } = await runDays(alone(seed));
        expect({ refused, failures }).toEqual({ refused: { minute: 0, day: 0 }, failures: [] });
        expect(longestUnread.sweeps).toBeLessThan(12);
      }),
      { numRuns: 4 },
    );
  });

  test('gives the same figures for the same seed', async () => {
    const scenario = randomScenario(2, 1);
    expect(await runDays(scenario)).toEqual(await runDays(scenario));
  });

  test('notices requests that another consumer leaves nothing for', async () => {
    const { perDay } = alone(1);
    const { refused } = await runDays({ ...alone(1), perMinute: 6, othersPerDay: perDay });
    expect(refused.minute + refused.day).toBeGreaterThan(0);
  });

  test('goes on where a writer was killed with a request under way, again and again', async () => {
    const { startMs, endMs } = alone(1);
    const kills = Array.from({ length: Math.floor((endMs - startMs) / HOUR_MS) }, (_, hour) => ({
      kind: 'kill' as const,
      startMs: startMs + hour * HOUR_MS,
      downMs: 1000 * (hour % 5),
      underWay: true,
    }));
    const figures = await runDays({ ...alone(1), troubles: kills, perDay: 400, perMinute: 6 });
    expect(figures.killsWithOpen).toBeGreaterThan(5);
    expect(figures.kills).toBe(figures.killsWithOpen);
    expect(figures.refused).toEqual({ minute: 0, day: 0 });
  });
});
