import type { Page } from '@playwright/test';
import { CompactReader } from '#lib/client/live/compact-reader.ts';
import type { LiveFrame } from '#lib/client/live/live-frame.ts';

/** The page's requests to `/api/live` and their answers, from the start. */
export class AnswersSeen {
  readonly #requests: URL[] = [];
  readonly #reader = new CompactReader();
  #reading: Promise<unknown> = Promise.resolve();
  #read = 0;
  #last: LiveFrame | undefined;
  #slowestMs = 0;

  constructor(page: Page) {
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/api/live') this.#requests.push(url);
    });
    page.on('requestfinished', (request) => {
      if (new URL(request.url()).pathname !== '/api/live') return;
      this.#slowestMs = Math.max(this.#slowestMs, request.timing().responseEnd);
    });
    page.on('response', (response) => {
      const url = new URL(response.url());
      if (url.pathname !== '/api/live' || !response.ok()) return;
      const body = response.body();
      // The test may end first.
      body.catch(() => undefined);
      // Each answer builds on the one before. After a navigation the old bodies can't be read.
      this.#reading = this.#reading.then(async () => this.#decode(await body, url.search)).catch(() => undefined);
    });
  }

  get requestCount(): number {
    return this.#requests.length;
  }

  /** Slowest answer, from the start of its request to its end. */
  slowestMs(): number {
    return this.#slowestMs;
  }

  lastRequest(): URL | undefined {
    return this.#requests.at(-1);
  }

  /** Records of the last answer that have not expired at `nowMs`, by the service's clock. */
  currentRecords(nowMs: number): number {
    return this.#columns().reduce((sum, { staleAfterMs }) => sum + staleAfterMs.filter((at) => at > nowMs).length, 0);
  }

  observedAtMs(reference: string): number {
    for (const { refs, observedAtMs } of this.#columns()) {
      const index = refs.indexOf(reference);
      if (index >= 0) return observedAtMs[index] as number;
    }
    return Number.NaN;
  }

  last(): LiveFrame | undefined {
    return this.#last;
  }

  async #decode(body: Buffer, query: string): Promise<void> {
    const answer = new Uint8Array(body).buffer;
    // No frame is ever acknowledged, so each one contains every record of the view.
    this.#last = await this.#reader.read(answer, { id: ++this.#read, query, acknowledged: undefined, delayMs: 0 });
  }

  #columns() {
    const { rid, adsb } = this.#last?.layers ?? {};
    return [...(rid?.records ?? []), ...(adsb?.records ?? [])];
  }
}
