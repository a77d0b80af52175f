import { setTimeout as delay } from 'node:timers/promises';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type RunningServers, startServers } from '../e2e/running/running-servers.ts';
import { built } from './built.ts';
import { startViewers, type Viewers } from './servers-viewers.ts';
import { SpentMinutes } from './spent-minutes.ts';

const SERVERS = 3;
const VIEWERS = 60;
const MINUTE_ALLOWANCE = 600;
const ROUNDS = Number(process.env.SERVERS_POSTGRES_ROUNDS ?? 5);
/** Until every place was read, and between the losses. */
const SETTLE_MS = 10 * SECOND_MS;
const LOST_MS = 10 * SECOND_MS;
/** A request that was reserved before the loss may still arrive. */
const IN_FLIGHT_MS = SECOND_MS;
const BACK_WITHIN_MS = 5 * SECOND_MS;
const GIVEN_UP_MS = 60 * SECOND_MS;

interface Loss {
  /** Requests that the upstream received while there was no ledger. */
  readonly requestsWhileLost: number;
  /** Of PostgreSQL's return, until every place was read again and is shown. */
  readonly freshAfterMs: number;
}

/** PostgreSQL crashes and returns several times, and at last its standby takes its place. */
export async function serversPostgres(): Promise<object> {
  await built();
  const all = await startServers({
    servers: SERVERS,
    operators: ['ada', 'ben', 'cleo'],
    service: { options: ['--allowance', `${MINUTE_ALLOWANCE},400000`] },
    hasStandby: true,
  });
  const spent = new SpentMinutes(MINUTE_ALLOWANCE);
  try {
    const viewers = await startViewers(all, VIEWERS);
    await delay(SETTLE_MS);
    const losses: Loss[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      losses.push(await lose(all, viewers, spent, LOST_MS, 'restart'));
      await delay(SETTLE_MS);
    }
    const failover = await lose(all, viewers, spent, 0, 'failover');
    await delay(SETTLE_MS);
    await viewers.end();
    await spent.take(all.service);
    const { answered } = viewers;
    const slowestMs = Math.max(...[...losses, failover].map(({ freshAfterMs }) => freshAfterMs));
    const requestsWhileLost = [...losses, failover].reduce((sum, each) => sum + each.requestsWhileLost, 0);
    return {
      what: `${VIEWERS} viewers of ${SERVERS} servers behind nginx poll twice a second; PostgreSQL crashes ${ROUNDS} times, is away for ${LOST_MS / SECOND_MS} s and starts again, then crashes and its synchronous standby takes its place`,
      goal: { requests_while_lost: 0, wrong: 0, overspent: 0, fresh_within_s: BACK_WITHIN_MS / SECOND_MS },
      reached: requestsWhileLost === 0 && answered.wrong === 0 && spent.refused === 0 && slowestMs <= BACK_WITHIN_MS,
      requests_while_lost: requestsWhileLost,
      wrong: answered.wrong,
      overspent: spent.refused,
      fresh_after_s: losses.map(({ freshAfterMs }) => seconds(freshAfterMs)),
      fresh_after_failover_s: seconds(failover.freshAfterMs),
      answers: answered.answers,
      failed: answered.failed,
      longest_age_s: seconds(answered.longestAgeMs),
      requests: spent.requests,
    };
  } finally {
    await all.stop();
  }
}

async function lose(
  { database, service }: RunningServers,
  viewers: Viewers,
  spent: SpentMinutes,
  lostMs: number,
  how: 'restart' | 'failover',
): Promise<Loss> {
  let requestsWhileLost = 0;
  if (how === 'restart') {
    database.stop();
    await delay(IN_FLIGHT_MS);
    await spent.take(service);
    await delay(lostMs - IN_FLIGHT_MS);
    requestsWhileLost = (await service.requests()).length;
    database.start();
  } else database.failOver();
  const backMs = Date.now();
  while (!viewers.isReadSince(backMs)) {
    if (Date.now() - backMs > GIVEN_UP_MS) throw new Error(`nothing was read ${GIVEN_UP_MS} ms after the ${how}`);
    await delay(20);
  }
  return { requestsWhileLost, freshAfterMs: Date.now() - backMs };
}

function seconds(ms: number): number {
  return Number((ms / SECOND_MS).toFixed(1));
}
