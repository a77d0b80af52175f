import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import type { LiveAnswer } from '#lib/api/live-answer.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { RunningServers } from '../../e2e/running/running-servers.ts';
import { quantile } from '../figures.ts';
import { signedIn } from '../signed-in.ts';

/** Too far apart for one request. */
const WESTS = [-120, -40, 7, 60, 100, 140];
const ANSWER_MAX_MS = 10_000;

function placeOf(viewer: number): string {
  const west = WESTS[viewer % WESTS.length] as number;
  return `${west},46,${west + 1},47`;
}

export class Viewers {
  readonly #failed: Record<string, number> = {};
  readonly #newestMs = new Map<string, number>();
  readonly #tookMs: number[] = [];
  #wrong = 0;
  #longestAgeMs = 0;
  #isOver = false;
  #all: Promise<unknown> = Promise.resolve();

  /** @param boxAt `bbox` of a viewer's n-th poll */
  static async start(
    { url, operators }: RunningServers,
    count: number,
    pollMs = SECOND_MS / 2,
    boxAt: (viewer: number, poll: number) => string = placeOf,
  ): Promise<Viewers> {
    const viewers = new Viewers();
    const cookies: string[] = [];
    for (const operator of operators) cookies.push(await signedIn(url, operator));
    const view = async (_: unknown, viewer: number) => {
      for (let poll = 0; !viewers.#isOver; poll++) {
        await viewers.#poll(url, boxAt(viewer, poll), viewer, cookies[viewer % cookies.length] as string);
        await delay(pollMs);
      }
    };
    viewers.#all = Promise.all(Array.from({ length: count }, view));
    return viewers;
  }

  /** `wrong`: called fresh, but older than fresh may be. */
  get figures() {
    return {
      answers: this.#tookMs.length,
      failed: this.#failed,
      wrong: this.#wrong,
      longest_age_s: Number((this.#longestAgeMs / SECOND_MS).toFixed(1)),
      answer_p95_ms: quantile(this.#tookMs, 0.95),
    };
  }

  isReadSince(ms: number): boolean {
    return Math.min(...this.#newestMs.values()) >= ms;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#all;
  }

  async #poll(url: string, box: string, viewer: number, cookie: string): Promise<void> {
    const sentMs = performance.now();
    try {
      const { statusCode, body } = await request(`${url}/api/live?bbox=${box}&layers=adsb&page=viewer-${viewer}`, {
        headers: { cookie },
        signal: AbortSignal.timeout(ANSWER_MAX_MS),
      });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
      this.#tookMs.push(performance.now() - sentMs);
      this.#take(box, JSON.parse(text) as LiveAnswer);
    } catch (error) {
      const why = String(error);
      this.#failed[why] = (this.#failed[why] ?? 0) + 1;
    }
  }

  #take(box: string, { as_of, layers: { adsb } }: LiveAnswer): void {
    if (!adsb?.fetched_at) return;
    const fetchedMs = Date.parse(adsb.fetched_at);
    const ageMs = Date.parse(as_of) - fetchedMs;
    this.#longestAgeMs = Math.max(this.#longestAgeMs, ageMs);
    this.#newestMs.set(box, Math.max(this.#newestMs.get(box) ?? 0, fetchedMs));
    if (adsb.state === 'fresh' && ageMs > FRESH_MAX_MS) this.#wrong++;
  }
}
