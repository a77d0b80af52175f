import { request } from 'undici';
import { makeDice } from '#lib/random/dice.fixture.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { signedIn } from '../signed-in.ts';
import { SpentMinutes } from './spent-minutes.ts';
import { again, halfHourAt, withThreeServers } from './three-servers.ts';

const OPERATORS = ['ada', 'ben', 'cleo', 'dora', 'emil', 'fay'];
const MINUTE_ALLOWANCE = 60;
const RUN_MS = Number(process.env.SERVERS_ECONOMY_MS ?? 3 * MINUTE_MS);
const OPEN_EVERY_MS = 250;

export function bench(): Promise<object> {
  const options = ['--allowance', `${MINUTE_ALLOWANCE},86400`];
  return withThreeServers({ operators: OPERATORS, service: { options } }, async (all) => {
    const spent = new SpentMinutes(MINUTE_ALLOWANCE);
    const statuses: Record<string, number> = {};
    const ends = AbortSignal.timeout(RUN_MS);
    let asked = 0;
    const ask = async (cookie: string, path: string) => {
      const { url } = all.servers[asked++ % all.servers.length] as (typeof all.servers)[number];
      try {
        const { statusCode, body } = await request(url + path, { headers: { cookie }, signal: ends });
        await body.text();
        statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
      } catch (error) {
        if (!isOver()) throw error;
      }
    };
    const isOver = () => ends.aborted;
    const traffic = OPERATORS.map(async (_, index) => {
      const cookie = await signedIn(all.url, all.operators[index]);
      const dice = makeDice(index + 1);
      const box = () => {
        const [west, south] = [Math.round(dice.between(-170, 165)), Math.round(dice.between(-50, 60))];
        return `${west},${south},${west + 4},${south + 3}`;
      };
      await Promise.all([
        again(OPEN_EVERY_MS, isOver, () => ask(cookie, `/api/live?bbox=${box()}&page=${asked % 20}`)),
        again(SECOND_MS, isOver, () => ask(cookie, halfHourAt(box()))),
      ]);
    });
    await Promise.all(traffic);
    await spent.take(all.service);
    const { overspent, requests } = spent.figures;
    return {
      what: `${OPERATORS.length} operators open a new place four times a second and load half hours of the past, at three servers in turn, for ${RUN_MS / SECOND_MS} s on ${MINUTE_ALLOWANCE} requests a minute`,
      goal: { overspent: 0 },
      reached: overspent === 0 && requests > 0,
      ...spent.figures,
      answers: statuses,
    };
  });
}
