import { setTimeout as delay } from 'node:timers/promises';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { RunningServers } from '../../e2e/running/running-servers.ts';
import { sum } from '../figures.ts';
import { SpentMinutes } from './spent-minutes.ts';
import { withThreeServers } from './three-servers.ts';
import { Viewers } from './viewers.ts';

const VIEWERS = 60;
const MINUTE_ALLOWANCE = 600;
const ROUNDS = Number(process.env.SERVERS_POSTGRES_ROUNDS ?? 5);
const SETTLE_MS = 10 * SECOND_MS;
const LOST_MS = 10 * SECOND_MS;
/** Requests reserved before the loss may still arrive. */
const IN_FLIGHT_MS = SECOND_MS;
const GOAL = { requests_while_lost: 0, wrong: 0, overspent: 0, fresh_after_s: 5 };
const GIVEN_UP_MS = 60 * SECOND_MS;

export function bench(): Promise<object> {
  const service = { options: ['--allowance', `${MINUTE_ALLOWANCE},400000`] };
  return withThreeServers({ operators: ['ada', 'ben', 'cleo'], service, hasStandby: true }, async (all) => {
    const spent = new SpentMinutes(MINUTE_ALLOWANCE);
    const viewers = await Viewers.start(all, VIEWERS);
    await delay(SETTLE_MS);
    const whileLost: number[] = [];
    const freshAfterS: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      whileLost.push(await restart(all, spent));
      freshAfterS.push(await untilFreshS(viewers));
      await delay(SETTLE_MS);
    }
    all.database.failOver();
    const failoverS = await untilFreshS(viewers);
    await delay(SETTLE_MS);
    await viewers.end();
    await spent.take(all.service);
    return {
      what: `${VIEWERS} viewers of three servers behind nginx poll twice a second; PostgreSQL crashes ${ROUNDS} times for ${LOST_MS / SECOND_MS} s, then crashes and its synchronous standby replaces it`,
      goal: GOAL,
      reached:
        sum(whileLost) + viewers.figures.wrong + spent.figures.overspent === 0 &&
        Math.max(...freshAfterS, failoverS) <= GOAL.fresh_after_s,
      requests_while_lost: sum(whileLost),
      fresh_after_s: freshAfterS,
      fresh_after_failover_s: failoverS,
      ...spent.figures,
      ...viewers.figures,
    };
  });
}

/** @returns requests without a ledger */
async function restart({ database, service }: RunningServers, spent: SpentMinutes): Promise<number> {
  database.stop();
  await delay(IN_FLIGHT_MS);
  await spent.take(service);
  await delay(LOST_MS - IN_FLIGHT_MS);
  const whileLost = (await service.requests()).length;
  database.start();
  return whileLost;
}

async function untilFreshS(viewers: Viewers): Promise<number> {
  const backMs = Date.now();
  while (!viewers.isReadSince(backMs)) {
    if (Date.now() - backMs > GIVEN_UP_MS) throw new Error(`a place was not read within ${GIVEN_UP_MS} ms`);
    await delay(20);
  }
  return (Date.now() - backMs) / SECOND_MS;
}
