import { setTimeout as delay } from 'node:timers/promises';
import { makeDice } from '#lib/random/seeded-random.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type RunningServers, startServers, type Turn } from '../e2e/running/running-servers.ts';
import { built } from './built.ts';
import { startViewers } from './servers-viewers.ts';
import { SpentMinutes } from './spent-minutes.ts';

const SERVERS = 3;
const VIEWERS = 30;
const KILLS = Number(process.env.SERVERS_KILLS ?? 100);
/** A third of what six places would take at the shortest interval. */
const MINUTE_ALLOWANCE = 24;
const TAKEN_OVER_MS = 5 * SECOND_MS;
const GIVEN_UP_MS = 30 * SECOND_MS;
const SEED = 12;

/** The writer gets SIGKILL under load, again and again. */
export async function serversKills(): Promise<object> {
  await built();
  const all = await startServers({
    servers: SERVERS,
    operators: ['ada', 'ben', 'cleo'],
    service: { options: ['--allowance', `${MINUTE_ALLOWANCE},86400`] },
  });
  const dice = makeDice(SEED);
  const spent = new SpentMinutes(MINUTE_ALLOWANCE);
  const takenOverMs: number[] = [];
  try {
    const viewers = await startViewers(all, VIEWERS);
    for (let kill = 0; kill < KILLS; kill++) {
      await delay(dice.between(0, 2 * SECOND_MS));
      const { fence, writer } = await all.turn();
      await all.kill(writer);
      takenOverMs.push(await untilNextTurn(all, fence));
      await all.start(writer);
      await spent.take(all.service);
    }
    await viewers.end();
    await spent.take(all.service);
    const { answered } = viewers;
    const slowestMs = Math.max(...takenOverMs);
    return {
      what: `${KILLS} SIGKILLs of the writer of ${SERVERS} servers behind nginx, which is started again each time, while ${VIEWERS} viewers poll twice a second on ${MINUTE_ALLOWANCE} requests a minute`,
      goal: { overspent: 0, wrong: 0, taken_over_s: TAKEN_OVER_MS / SECOND_MS },
      reached: spent.refused === 0 && answered.wrong === 0 && slowestMs <= TAKEN_OVER_MS,
      overspent: spent.refused,
      fullest_minute: spent.fullestMinute,
      requests: spent.requests,
      wrong: answered.wrong,
      slowest_takeover_s: seconds(slowestMs),
      median_takeover_s: seconds(takenOverMs.toSorted((a, b) => a - b)[Math.floor(KILLS / 2)] ?? 0),
      answers: answered.answers,
      failed: answered.failed,
      longest_age_s: seconds(answered.longestAgeMs),
    };
  } finally {
    await all.stop();
  }
}

/** @returns milliseconds until another turn has begun */
export async function untilNextTurn(all: RunningServers, fence: number): Promise<number> {
  const sinceMs = Date.now();
  while (Date.now() - sinceMs < GIVEN_UP_MS) {
    const turn: Turn | undefined = await all.turn().catch(() => undefined);
    if (turn !== undefined && turn.fence > fence) return Date.now() - sinceMs;
    await delay(20);
  }
  throw new Error(`there is no writer ${GIVEN_UP_MS} ms after turn ${fence}`);
}

function seconds(ms: number): number {
  return Number((ms / SECOND_MS).toFixed(1));
}
