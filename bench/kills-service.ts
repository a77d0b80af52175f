import { KilledSpender } from '#service/accounts/sqlite/killed-spender.fixture.ts';
import { KilledRecorder } from '#service/past/killed-recorder.fixture.ts';

const KILLS = 200;
/** Of the folder's age: a comparison reads all of it. */
const COMPARED_EVERY = 10;
/** A process starts within about this time, and seals a period about as often. */
const LONGEST_MS = { start: 400, appending: 600 };

/**
 * Kills a process that appends to a past as fast as it can at random times, 200 times on one folder, and compares what
 * the past answers with what was written.
 */
export async function killsService(): Promise<object> {
  const recorder = new KilledRecorder();
  try {
    let losses = await recorder.compare();
    let worst = losses;
    for (let killed = 1; killed <= KILLS; killed += 1) {
      const since = killed % 5 === 4 ? 'start' : 'appending';
      await recorder.appendUntilKilled(Math.random() * LONGEST_MS[since], since);
      if (killed % COMPARED_EVERY !== 0) continue;
      losses = await recorder.compare();
      const isWorse = losses.missing + losses.unexpected.length + losses.damagedSegments > 0;
      if (isWorse) worst = losses;
    }
    const { missing, unexpected, damagedSegments } = worst;
    return {
      what: 'a past on disk, appended to by one process as fast as it can, SIGKILL at a random time, also during starts',
      goal: { missing: 0, unexpected: 0, damaged_segments: 0 },
      reached: missing + unexpected.length + damagedSegments === 0,
      kills: KILLS,
      observations_written: losses.written,
      segments: losses.segments,
      missing,
      unexpected: unexpected.length,
      damaged_segments: damagedSegments,
      counters: await killedCounters(),
    };
  } finally {
    recorder.remove();
  }
}

/** The same for the counters of an account: what was granted before a kill is counted after it. */
async function killedCounters(): Promise<object> {
  const spender = new KilledSpender();
  try {
    spender.begin();
    let undercounted = 0;
    for (let killed = 1; killed <= KILLS; killed += 1) {
      const since = killed % 5 === 4 ? 'start' : 'spending';
      await spender.spendUntilKilled(Math.random() * 100, since);
      const { granted, counted } = spender.compare();
      undercounted = Math.max(undercounted, granted - counted);
    }
    const { granted, counted } = spender.compare();
    return { granted, undercounted, overcounted_at_each: (counted - granted) / KILLS };
  } finally {
    spender.remove();
  }
}
