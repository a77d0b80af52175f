import type { Page, Request } from '@playwright/test';
import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';
import { CompactReader, type LiveFrame } from '#lib/client/live/compact-reader.ts';

export class AnswersSeen {
  readonly #page: Page;
  readonly #requests: URL[] = [];
  readonly #reader = new CompactReader();
  #reading: Promise<unknown> = Promise.resolve();
  #read = 0;
  #last: LiveFrame | undefined;
  #underWay = 0;
  readonly #staleAfterMs = new Map<string, number>();

  constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname !== '/api/live') return;
      this.#requests.push(url);
      this.#underWay++;
    });
    const ended = (request: Request) => {
      if (new URL(request.url()).pathname === '/api/live') this.#underWay--;
    };
    page.on('requestfinished', ended);
    page.on('requestfailed', ended);
    page.on('response', (response) => {
      const url = new URL(response.url());
      if (url.pathname !== '/api/live' || !response.ok()) return;
      // The page gave up, the test ended or the browser left.
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

  /** Requests without the end of their answer. */
  get underWay(): number {
    return this.#underWay;
  }

  lastRequest(): URL | undefined {
    return this.#requests.at(-1);
  }

  /** Not expired, by the service's clock. */
  currentRecords(nowMs: number): number {
    return this.#columns().reduce((sum, { staleAfterMs }) => sum + staleAfterMs.filter((at) => at > nowMs).length, 0);
  }

  /** Negative if `counted` is too low. Tracks that left the view count until they expire. */
  miscounted(counted: number, nowMs: number): number {
    const least = this.currentRecords(nowMs);
    const most = [...this.#staleAfterMs.values()].filter((at) => at > nowMs).length;
    return Math.min(0, counted - least) + Math.max(0, counted - most);
  }

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
    // With `since`, an answer builds on what the page knew, which may differ from what is known here.
    const canRead = since === undefined || since === this.#reader.since();
    const answer = new Uint8Array(canRead ? body : await this.#whole(url)).buffer;
    // No frame is acknowledged, so each contains every record.
    this.#last = await this.#reader.read(answer, {
      id: ++this.#read,
      query: url.search,
      acknowledged: undefined,
      delayMs: () => 0,
    });
    for (const { refs, staleAfterMs } of this.#columns()) {
      for (const [index, reference] of refs.entries()) this.#staleAfterMs.set(reference, staleAfterMs[index] as number);
    }
  }

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
