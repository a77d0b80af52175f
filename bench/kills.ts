import { KilledSpender as KilledLedgerSpender } from '#lib/server/allowance/killed-spender.fixture.ts';
import { KilledSpender as KilledCounterSpender } from '#service/accounts/sqlite/killed-spender.fixture.ts';
import { KilledRecorder } from '#service/past/killed-recorder.fixture.ts';
import { rounded } from './figures.ts';

const KILLS = Number(process.env.KILLS ?? 200);
const COMPARED_EVERY = 10;

export async function bench(): Promise<object> {
  const [ledger, counters, past] = [await ledgerKills(), await counterKills(), await pastKills()];
  return {
    what: `${KILLS} SIGKILLs each: of the app's ledger spent from by three tasks, of the service's request counters, and of its past`,
    goal: { unreadable: 0, undercounted: 0, missing: 0, unexpected: 0, damaged_segments: 0 },
    reached:
      ledger.unreadable + ledger.undercounted + counters.undercounted === 0 &&
      past.missing + past.unexpected + past.damaged_segments === 0,
    ledger,
    counters,
    past,
  };
}

async function killOften<const Since extends string>(
  during: Since,
  kill: (since: 'start' | Since, share: number) => Promise<void>,
) {
  for (let killed = 0; killed < KILLS; killed++) await kill(killed % 5 === 4 ? 'start' : during, Math.random());
}

async function ledgerKills() {
  const spender = new KilledLedgerSpender();
  let [unreadable, undercounted, overcount] = [0, 0, 0];
  await killOften('first request', async (since, share) => {
    await spender.spendUntilKilled(share * (since === 'start' ? 150 : 60), since);
    try {
      const { recorded, counted, dayBelow, minuteBelow } = await spender.compare();
      if (counted < recorded || dayBelow < 0 || minuteBelow < 0) undercounted++;
      overcount = counted - recorded;
    } catch {
      unreadable++;
    }
  });
  return { unreadable, undercounted, overcount_per_kill: rounded(overcount / KILLS) };
}

async function counterKills() {
  const spender = new KilledCounterSpender();
  spender.begin();
  let [granted, undercounted, overcount] = [0, 0, 0];
  await killOften('spending', async (since, share) => {
    await spender.spendUntilKilled(share * 100, since);
    const now = spender.compare();
    granted = now.granted;
    overcount = now.counted - now.granted;
    undercounted = Math.max(undercounted, -overcount);
  });
  spender.remove();
  return { granted, undercounted, overcount_per_kill: rounded(overcount / KILLS) };
}

async function pastKills() {
  const recorder = new KilledRecorder();
  let [killed, missing, unexpected, damaged, written] = [0, 0, 0, 0, 0];
  await killOften('appending', async (since, share) => {
    await recorder.appendUntilKilled(share * (since === 'start' ? 400 : 600), since);
    if (++killed % COMPARED_EVERY !== 0 && killed < KILLS) return;
    const losses = await recorder.compare();
    missing = Math.max(missing, losses.missing);
    unexpected = Math.max(unexpected, losses.unexpected.length);
    damaged = Math.max(damaged, losses.damagedSegments);
    written = losses.written;
  });
  recorder.remove();
  return { written, missing, unexpected, damaged_segments: damaged };
}
