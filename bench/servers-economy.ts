import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { makeDice } from '#lib/random/seeded-random.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { startServers } from '../e2e/running/running-servers.ts';
import { built } from './built.ts';
import { signedIn } from './signed-in.ts';
import { SpentMinutes } from './spent-minutes.ts';

const SERVERS = 3;
const OPERATORS = ['ada', 'ben', 'cleo', 'dora', 'emil', 'fay'];
const MINUTE_ALLOWANCE = 60;
const RUN_MS = Number(process.env.SERVERS_ECONOMY_MS ?? 3 * MINUTE_MS);
const POLL_MS = 250;
/** Of the past that each load asks for. */
const LOADED_MS = 30 * MINUTE_MS;

/** Greedy viewers open a new place four times a second and load one past after the other, each at the next server. */
export async function serversEconomy(): Promise<object> {
  await built();
  const all = await startServers({
    servers: SERVERS,
    operators: OPERATORS,
    service: { options: ['--allowance', `${MINUTE_ALLOWANCE},86400`] },
  });
  const pools = all.servers.map(({ url }) => new Pool(url));
  const spent = new SpentMinutes(MINUTE_ALLOWANCE);
  const statuses: Record<string, number> = {};
  let loads = 0;
  const endsMs = Date.now() + RUN_MS;
  try {
    const ask = async (turn: number, cookie: string, path: string) => {
      const pool = pools[turn % SERVERS] as Pool;
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers: { cookie } });
      await body.dump({ limit: Number.MAX_SAFE_INTEGER });
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
      return statusCode;
    };
    const greedy = async (index: number) => {
      const cookie = await signedIn(all.url, all.operators[index] as (typeof all.operators)[number]);
      const dice = makeDice(index + 1);
      const box = () => {
        const [west, south] = [dice.between(-170, 165), dice.between(-50, 60)].map((deg) => Number(deg.toFixed(2)));
        return `${west},${south},${(west as number) + 4},${(south as number) + 3}`;
      };
      const opens = async () => {
        for (let turn = index; Date.now() < endsMs; turn++) {
          await ask(turn, cookie, `/api/live?bbox=${box()}&page=${turn % 20}`);
          await delay(POLL_MS);
        }
      };
      const loadsPast = async () => {
        for (let turn = index; Date.now() < endsMs; turn++) {
          const end = Math.floor(Date.now() / MINUTE_MS - 2) * MINUTE_MS;
          const [from, to] = [end - LOADED_MS, end].map((ms) => new Date(ms).toISOString());
          const path = `/api/history?bbox=${box()}&layers=adsb&start=${from}&end=${to}`;
          const load = ask(turn, cookie, path).then(
            (status) => status === 200 && loads++,
            () => undefined,
          );
          await Promise.race([load, delay(Math.max(0, endsMs - Date.now()), undefined, { ref: false })]);
          await delay(SECOND_MS);
        }
      };
      await Promise.all([opens(), loadsPast()]);
    };
    await Promise.all(OPERATORS.map((_, index) => greedy(index)));
    await spent.take(all.service);
    return {
      what: `${OPERATORS.length} operators open a new place four times a second, and load one half hour of the past after the other, at ${SERVERS} servers in turn, for ${RUN_MS / SECOND_MS} s on ${MINUTE_ALLOWANCE} requests a minute`,
      goal: { refused: 0 },
      reached: spent.refused === 0 && spent.requests > 0,
      refused: spent.refused,
      requests: spent.requests,
      fullest_minute: spent.fullestMinute,
      loads,
      answers: statuses,
    };
  } finally {
    for (const pool of pools) await pool.destroy();
    await all.stop();
  }
}
