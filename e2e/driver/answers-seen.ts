import type { Page } from '@playwright/test';
import { CompactReader } from '#lib/client/live/compact-reader.ts';
import type { LiveFrame } from '#lib/client/live/live-frame.ts';

/** What the page asked of `/api/live` and was answered, from the beginning. */
export class AnswersSeen {
  readonly #asked: URL[] = [];
  readonly #reader = new CompactReader();
  #reading: Promise<unknown> = Promise.resolve();
  #read = 0;
  #last: LiveFrame | undefined;
  #slowestMs = 0;

  constructor(page: Page) {
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/api/live') this.#asked.push(url);
    });
    page.on('requestfinished', (request) => {
      if (new URL(request.url()).pathname !== '/api/live') return;
      this.#slowestMs = Math.max(this.#slowestMs, request.timing().responseEnd);
    });
    page.on('response', (response) => {
      const url = new URL(response.url());
      if (url.pathname !== '/api/live' || !response.ok()) return;
      const body = response.body();
      // Each answer builds on the one before. A page that is left takes its bodies along.
      this.#reading = this.#reading.then(async () => this.#take(await body, url.search)).catch(() => undefined);
    });
  }

  get askedCount(): number {
    return this.#asked.length;
  }

  /** From asking to the end of the answer. */
  slowestMs(): number {
    return this.#slowestMs;
  }

  lastAsked(): URL | undefined {
    return this.#asked.at(-1);
  }

  /** Records of the last answer that have not expired at that moment, by the service's clock. */
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

  async #take(body: Buffer, query: string): Promise<void> {
    const answer = new Uint8Array(body).buffer;
    // Nothing is ever taken over, so that each frame holds every record of the view.
    this.#last = await this.#reader.read(answer, { id: ++this.#read, query, acknowledged: undefined, delayMs: 0 });
  }

  #columns() {
    const { rid, adsb } = this.#last?.layers ?? {};
    return [...(rid?.records ?? []), ...(adsb?.records ?? [])];
  }
}
