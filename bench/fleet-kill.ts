import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import { makeDice } from '#lib/random/seeded-random.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { type Replica, startFleet } from '../e2e/running/running-fleet.ts';
import { built } from './built.ts';
import { nothingAnswered, viewer } from './fleet-viewers.ts';

const REPLICAS = 3;
const VIEWERS = 30;
const KILLS = Number(process.env.FLEET_KILLS ?? 100);
/** A third of what six places would take at the shortest interval. */
const MINUTE_ALLOWANCE = 24;
const TAKEN_OVER_MS = 5 * SECOND_MS;
const GIVEN_UP_MS = 30 * SECOND_MS;
const SEED = 12;

/** Random replicas get SIGKILL under load, and new ones take their place. */
export async function fleetKill(): Promise<object> {
  await built();
  const fleet = await startFleet({
    replicas: REPLICAS,
    service: { options: ['--allowance', `${MINUTE_ALLOWANCE},86400`] },
  });
  const dice = makeDice(SEED);
  const answered = nothingAnswered();
  const takenOverMs: number[] = [];
  const requestsAt: number[] = [];
  let plannersKilled = 0;
  let isOver = false;
  try {
    const viewers = Array.from({ length: VIEWERS }, (_, index) =>
      viewer(fleet.url, index, FRESH_MAX_MS, answered, () => isOver),
    );
    for (let kill = 0; kill < KILLS; kill++) {
      const [killed] = [dice.pick(fleet.replicas)];
      const planner = await plannerOf(killed);
      await delay(dice.between(0, SECOND_MS));
      const killedMs = Date.now();
      await fleet.kill(killed);
      await fleet.forget(killed);
      if (planner === killed.name) {
        plannersKilled++;
        takenOverMs.push(await planned(fleet.replicas, killed, killedMs));
      }
      await fleet.add();
      for (const { received_at } of await fleet.service.requests()) requestsAt.push(Date.parse(received_at));
      await fleet.service.forgetRequests();
    }
    isOver = true;
    await Promise.all(viewers);
    const byMinute = Map.groupBy(requestsAt, (atMs) => Math.floor(atMs / MINUTE_MS));
    const counts = [...byMinute.values()].map(({ length }) => length);
    const overspent = counts.reduce((sum, each) => sum + Math.max(0, each - MINUTE_ALLOWANCE), 0);
    const slowestMs = Math.max(0, ...takenOverMs);
    return {
      what: `${KILLS} SIGKILLs of random replicas of ${REPLICAS} behind nginx, of which a new one takes the place each time, while ${VIEWERS} viewers poll twice a second on ${MINUTE_ALLOWANCE} requests a minute`,
      goal: { overspent: 0, wrong: 0, taken_over_s: TAKEN_OVER_MS / SECOND_MS },
      reached: overspent === 0 && answered.wrong === 0 && slowestMs <= TAKEN_OVER_MS && plannersKilled > 0,
      overspent,
      most_in_a_minute: Math.max(0, ...counts),
      requests: requestsAt.length,
      wrong: answered.wrong,
      planners_killed: plannersKilled,
      slowest_takeover_s: Number((slowestMs / SECOND_MS).toFixed(1)),
      answers: answered.answers,
      // nginx asks nobody else, until it is told that the replica is gone.
      lost_with_the_killed: answered.failed,
      longest_age_s: Number((answered.longestAgeMs / SECOND_MS).toFixed(1)),
    };
  } finally {
    isOver = true;
    await fleet.stop();
  }
}

/** Who plans, as that replica knows. */
async function plannerOf({ app }: Replica): Promise<string | null> {
  const { body } = await request(`${app.url}/api/status`);
  const { servers } = (await body.json()) as { readonly servers: { readonly planner: string | null } };
  return servers.planner;
}

/** @returns milliseconds until one of those that are left says that one of them plans */
async function planned(left: readonly Replica[], killed: Replica, killedMs: number): Promise<number> {
  while (Date.now() - killedMs < GIVEN_UP_MS) {
    for (const replica of left) if ((await plannerOf(replica)) === replica.name) return Date.now() - killedMs;
    await delay(50);
  }
  throw new Error(`nobody plans ${GIVEN_UP_MS} ms after ${killed.name} was killed`);
}
