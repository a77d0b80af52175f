import { type Comparison, KilledSpender } from '#lib/server/allowance/killed-spender.fixture.ts';

const KILLS = 200;

/**
 * Kills a process that spends as fast as it can at random times, 200 times on one ledger, and checks what the ledger
 * counts.
 */
export async function kills(): Promise<object> {
  const spender = new KilledSpender();
  let [unreadable, undercounted, killed] = [0, 0, 0];
  let last: Comparison = { recorded: 0, counted: 0, dayBelow: 0, minuteBelow: 0 };
  const overcounts: number[] = [];
  for (; killed < KILLS; killed++) {
    const duringStart = killed % 5 === 4;
    await spender.spendUntilKilled(Math.random() * (duringStart ? 150 : 60), duringStart ? 'start' : 'first request');
    try {
      const now = await spender.compare();
      if (now.counted < now.recorded || now.dayBelow < 0 || now.minuteBelow < 0) undercounted++;
      overcounts.push(now.counted - now.recorded - (last.counted - last.recorded));
      last = now;
    } catch {
      unreadable++;
    }
  }
  return {
    what: 'the embedded ledger, spent from by three tasks of one process as fast as they can, SIGKILL at a random time',
    goal: { unreadable: 0, undercounted: 0 },
    reached: unreadable === 0 && undercounted === 0,
    kills: killed,
    attempts_recorded: last.recorded,
    attempts_counted: last.counted,
    unreadable,
    undercounted,
    overcount_per_kill: Math.round(((last.counted - last.recorded) / killed) * 100) / 100,
    max_overcount_per_kill: Math.max(0, ...overcounts),
  };
}
