import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { statusAnswerSchema } from '#lib/api/status-answer.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { rounded } from '../figures.ts';
import { signedIn } from '../signed-in.ts';
import { again, halfHourAt, withThreeServers } from './three-servers.ts';
import { Viewers } from './viewers.ts';

const OPERATORS = Array.from({ length: 10 }, (_, index) => `bench-${index}`);
const PAGES = 200;
const POLL_MS = 2500;
const SETTLE_MS = 60 * SECOND_MS;
const BETWEEN_MS = 5 * SECOND_MS;
const SAMPLE_EVERY_MS = 250;
const GOAL = { failed: 0, intervals_of_age: 2 };

export function bench(): Promise<object> {
  const service = { options: ['--allowance', '600,400000'] };
  return withThreeServers({ operators: OPERATORS, service, settings: { LOG_LEVEL: 'silent' } }, async (all) => {
    const cookie = await signedIn(all.url, all.operators[0]);
    const read = async (path: string) => {
      const { statusCode, body } = await request(all.url + path, { headers: { cookie } });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
      return text;
    };
    const failed: string[] = [];
    let [isOver, loads] = [false, 0];
    const hasEnded = () => isOver;
    const repeat = (everyMs: number, run: () => Promise<void>) =>
      again(everyMs, hasEnded, () => run().catch((error) => void failed.push(String(error))));
    const load = async (west: number) => {
      const past = await read(halfHourAt(`${west},47,${west + 0.3},47.2`));
      if (!past.includes('"type":"end"')) throw new Error('a load has no end');
      loads++;
    };
    const ages = new Ages();
    const viewers = await Viewers.start(all, PAGES, POLL_MS, pannedBox);
    const traffic = [repeat(SECOND_MS, () => load(8)), repeat(SECOND_MS, () => load(8.5))];
    await delay(SETTLE_MS);
    traffic.push(repeat(SAMPLE_EVERY_MS, async () => ages.take(await read('/api/status'))));
    for (const server of all.servers) {
      await all.stopServer(server);
      await delay(BETWEEN_MS);
      await all.start(server);
      await delay(BETWEEN_MS);
    }
    isOver = true;
    await Promise.all([...traffic, viewers.end()]);
    const unanswered = Object.keys(viewers.figures.failed).length + failed.length;
    return {
      what: `three servers behind nginx are stopped by SIGTERM and started again, one after the other. Meanwhile ${PAGES} pages of ${OPERATORS.length} operators pan at every poll and two loads of half an hour follow each other`,
      goal: GOAL,
      reached: unanswered === 0 && loads > 0 && ages.samples > 0 && ages.intervals <= GOAL.intervals_of_age,
      loads,
      failed_otherwise: failed,
      intervals_of_age: rounded(ages.intervals),
      samples: ages.samples,
      ...viewers.figures,
    };
  });
}

function pannedBox(viewer: number, poll: number): string {
  const lon = [8.5, 6.1, 11.6, 9.2][viewer % 4] as number;
  const lat = [47.4, 46.2, 48.2, 45.5][viewer % 4] as number;
  const west = lon + 2.5 * Math.sin(viewer + poll);
  const spanDeg = 0.5 + (viewer % 10);
  return [west, lat, west + spanDeg, lat + spanDeg / 2].map((deg) => deg.toFixed(2)).join(',');
}

/** Greatest age of an area, in its intervals. */
class Ages {
  samples = 0;
  intervals = 0;
  /** Read in time once: a new area has no age yet. */
  #known: ReadonlySet<string> = new Set();

  take(status: string): void {
    const { as_of, areas } = statusAnswerSchema.parse(JSON.parse(status));
    const aged = areas.flatMap(({ layer, bbox, fetched_at, interval_ms }) => {
      const ageMs = Date.parse(as_of) - Date.parse(fetched_at ?? '');
      const name = `${layer} ${bbox.join(' ')}`;
      if (interval_ms === null || !(this.#known.has(name) || ageMs <= interval_ms)) return [];
      return [{ name, intervals: ageMs / interval_ms }];
    });
    this.samples += aged.length;
    this.intervals = Math.max(this.intervals, ...aged.map(({ intervals }) => intervals));
    this.#known = new Set(aged.map(({ name }) => name));
  }
}
