import type { Page } from '@playwright/test';
import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';
import { CompactReader } from '#lib/client/live/compact-reader.ts';
import type { LiveFrame } from '#lib/client/live/live-frame.ts';

/** The page's requests to `/api/live` and their answers, from the start. */
export class AnswersSeen {
  readonly #page: Page;
  readonly #requests: URL[] = [];
  readonly #reader = new CompactReader();
  #reading: Promise<unknown> = Promise.resolve();
  #read = 0;
  #last: LiveFrame | undefined;
  #slowestMs = 0;

  constructor(page: Page) {
    this.#page = page;
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
      // There is no body to read if the page gave up, the test has ended or the browser has gone elsewhere.
      response.body().then(
        (body) => {
          this.#reading = this.#reading.then(() => this.#decode(url, body)).catch(() => undefined);
        },
        () => undefined,
      );
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

  /** Reference of the record of the last answer that was observed last. */
  latestObserved(): string {
    const observed = this.#columns().flatMap(({ refs, observedAtMs }) =>
      refs.map((reference, at) => ({ reference, atMs: observedAtMs[at] as number })),
    );
    return observed.reduce((latest, each) => (each.atMs > latest.atMs ? each : latest)).reference;
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

  async #decode(url: URL, body: Buffer): Promise<void> {
    const since = url.searchParams.get('since') ?? undefined;
    // An answer without `since` builds on nothing; any other on what the page knew when it asked. That differs from what is
    // known here once a body could not be read, or the page gave up an answer that was read here.
    const canRead = since === undefined || since === this.#reader.since();
    const answer = new Uint8Array(canRead ? body : await this.#whole(url)).buffer;
    // No frame is ever acknowledged, so each one contains every record of the view.
    this.#last = await this.#reader.read(answer, {
      id: ++this.#read,
      query: url.search,
      acknowledged: undefined,
      delayMs: () => 0,
    });
  }

  /** The same view, requested again without `since`. */
  async #whole(url: URL): Promise<Buffer> {
    const whole = new URL(url);
    whole.searchParams.delete('since');
    const answer = await this.#page.request.get(whole.href, { headers: { accept: COMPACT_LIVE_TYPE } });
    if (!answer.ok()) throw new Error(`status ${answer.status()}`);
    return answer.body();
  }

  #columns() {
    const { rid, adsb } = this.#last?.layers ?? {};
    return [...(rid?.records ?? []), ...(adsb?.records ?? [])];
  }
}
