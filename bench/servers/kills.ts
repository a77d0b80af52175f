import { setTimeout as delay } from 'node:timers/promises';
import { makeDice } from '#lib/random/dice.fixture.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { RunningServers, WriterLease } from '../../e2e/running/running-servers.ts';
import { spread } from '../figures.ts';
import { SpentMinutes } from './spent-minutes.ts';
import { withThreeServers } from './three-servers.ts';
import { Viewers } from './viewers.ts';

const VIEWERS = 30;
const KILLS = Number(process.env.SERVERS_KILLS ?? 100);
/** A third of what six places take at the shortest interval. */
const MINUTE_ALLOWANCE = 24;
const GOAL = { overspent: 0, wrong: 0, takeover_s: 5 };
const GIVEN_UP_MS = 30 * SECOND_MS;
const SEED = 12;

export function bench(): Promise<object> {
  const options = ['--allowance', `${MINUTE_ALLOWANCE},86400`];
  return withThreeServers({ operators: ['ada', 'ben', 'cleo'], service: { options } }, async (all) => {
    const dice = makeDice(SEED);
    const spent = new SpentMinutes(MINUTE_ALLOWANCE);
    const takeoverS: number[] = [];
    const viewers = await Viewers.start(all, VIEWERS);
    for (let kill = 0; kill < KILLS; kill++) {
      await delay(dice.between(0, 2 * SECOND_MS));
      const { fence, writer } = await nextLease(all, 0);
      await all.kill(writer);
      const killedMs = Date.now();
      await nextLease(all, fence);
      takeoverS.push((Date.now() - killedMs) / SECOND_MS);
      await all.start(writer);
      await spent.take(all.service);
    }
    await viewers.end();
    await spent.take(all.service);
    const takeover = spread(takeoverS);
    return {
      what: `${KILLS} SIGKILLs of the writer of three servers behind nginx, which is started again each time, while ${VIEWERS} viewers poll twice a second on ${MINUTE_ALLOWANCE} requests a minute`,
      goal: GOAL,
      reached: spent.figures.overspent === 0 && viewers.figures.wrong === 0 && takeover.max <= GOAL.takeover_s,
      takeover_s: takeover,
      ...spent.figures,
      ...viewers.figures,
    };
  });
}

async function nextLease(all: RunningServers, fence: number): Promise<WriterLease> {
  const sinceMs = Date.now();
  while (Date.now() - sinceMs < GIVEN_UP_MS) {
    const lease = await all.writerLease().catch(() => undefined);
    if (lease !== undefined && lease.fence > fence) return lease;
    await delay(20);
  }
  throw new Error(`there is no writer ${GIVEN_UP_MS} ms after fence ${fence}`);
}
