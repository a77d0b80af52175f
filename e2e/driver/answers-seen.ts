import type { Page } from '@playwright/test';
import type { LiveAnswer } from '#lib/api/live-answer.ts';
import type { LiveRecord } from '#lib/api/live-record.ts';

/** What the page asked of `/api/live` and was answered, from the beginning. */
export class AnswersSeen {
  readonly #asked: URL[] = [];
  readonly #answers: LiveAnswer[] = [];
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
      if (new URL(response.url()).pathname !== '/api/live' || !response.ok()) return;
      // A page that is left takes its bodies along.
      response.json().then(
        (answer: LiveAnswer) => this.#answers.push(answer),
        () => undefined,
      );
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
    return this.#records().filter(({ stale_after }) => stale_after !== undefined && Date.parse(stale_after) > nowMs)
      .length;
  }

  observedAtMs(reference: string): number {
    return Date.parse(this.#records().find(({ public_track_id }) => public_track_id === reference)?.observed_at ?? '');
  }

  #records(): readonly LiveRecord[] {
    const { rid, adsb } = this.last()?.layers ?? {};
    return [...(rid?.records ?? []), ...(adsb?.records ?? [])];
  }

  last(): LiveAnswer | undefined {
    return this.#answers.at(-1);
  }
}
