import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { runs } from '../budget.ts';
import { runDays } from './run-days.ts';
import { randomScenario, type Scenario } from './scenario.ts';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
/**
 * No rule can foresee another consumer. A smaller account may be empty at an hourly check: its reserve is under 24
 * requests.
 */
function alone(seed: number, days: number): Scenario {
  const scenario = randomScenario(seed, days);
  return { ...scenario, othersPerDay: 0, perDay: Math.max(1000, scenario.perDay) };
}

function evening(): Scenario {
  const scenario = alone(1, 2);
  const span = { startMs: scenario.endMs - 26 * HOUR_MS, endMs: scenario.endMs - 23 * HOUR_MS };
  const operators = ['modest-1', 'modest-2'].map((name) => ({
    name,
    habit: { kind: 'modest' as const, pages: 1, movesEveryMs: 30 * MINUTE_MS },
    sessions: [span],
    loads: [span.startMs + HOUR_MS],
  }));
  return { ...scenario, ...span, operators, troubles: [], perMinute: 6, perDay: 2000, latencyMs: 200 };
}

describe('the real engine through random days', () => {
  test('stays within every allowance, reads every place and never throws, for any events', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        const { refused, failures, longestUnread } = await runDays(alone(seed, 1));
        expect({ refused, failures }).toEqual({ refused: { minute: 0, day: 0 }, failures: [] });
        expect(longestUnread.sweeps).toBeLessThan(12);
      }),
      // A smaller seed is not a smaller scenario.
      { numRuns: runs(5), endOnFailure: true },
    );
  });

  test('gives the same figures for the same seed', async () => {
    expect(await runDays(evening())).toEqual(await runDays(evening()));
  });

  test('goes on where a writer was killed with a request under way, every ten minutes', async () => {
    const { startMs, endMs } = evening();
    const kills = Array.from({ length: (endMs - startMs) / (10 * MINUTE_MS) }, (_, index) => ({
      kind: 'kill' as const,
      startMs: startMs + index * 10 * MINUTE_MS,
      downMs: 1000 * (index % 5),
      underWay: true,
    }));
    const figures = await runDays({ ...evening(), troubles: kills });
    expect(figures.killsWithOpen).toBeGreaterThan(10);
    expect(figures.requests).toBeGreaterThan(100);
    expect(figures.refused).toEqual({ minute: 0, day: 0 });
  });

  test('notices requests that another consumer leaves nothing for', async () => {
    const { refused } = await runDays({ ...evening(), othersPerDay: 8000 });
    expect(refused.minute + refused.day).toBeGreaterThan(0);
  });
});
