import type { Page, Request } from '@playwright/test';
import { COMPACT_LIVE_TYPE } from '#lib/api/compact-answer.ts';
import { CompactReader, type LiveFrame } from '#lib/client/live/compact-reader.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';

interface SeenRecord extends LonLat {
  readonly staleAfterMs: number;
}

/** A part of the view. */
const EDGE = 0.02;

function resized({ west, south, east, north }: Bbox, by: number): Bbox {
  const [lon, lat] = [((east - west) * by) / 2, ((north - south) * by) / 2];
  return { west: west - lon, south: south - lat, east: east + lon, north: north + lat };
}

/** The part of a view whose positions are surely in view: the address rounds the view. */
export function withoutEdge(view: Bbox): Bbox {
  return resized(view, -EDGE);
}

export class AnswersSeen {
  readonly #page: Page;
  readonly #requests: URL[] = [];
  readonly #reader = new CompactReader();
  #reading: Promise<unknown> = Promise.resolve();
  #read = 0;
  #last: LiveFrame | undefined;
  #underWay = 0;
  readonly #seen = new Map<string, SeenRecord>();

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

  /** Negative if `counted` is too low. At the edge of the view either is right: the address rounds it. */
  miscounted(counted: number, nowMs: number, view: Bbox): number {
    const current = [...this.#seen.values()].filter(({ staleAfterMs }) => staleAfterMs > nowMs);
    const within = (bbox: Bbox) => current.filter(({ lon, lat }) => bboxContains(bbox, lon, lat)).length;
    const [least, most] = [within(withoutEdge(view)), within(resized(view, EDGE))];
    return Math.min(0, counted - least) + Math.max(0, counted - most);
  }

  latestObserved(view: Bbox): string {
    const observed = this.#columns().flatMap(({ refs, observedAtMs, lon, lat }) =>
      refs.flatMap((reference, at) =>
        bboxContains(withoutEdge(view), lon[at] as number, lat[at] as number)
          ? { reference, atMs: observedAtMs[at] as number }
          : [],
      ),
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
    for (const { refs, staleAfterMs, lon, lat } of this.#columns()) {
      for (const [index, reference] of refs.entries()) {
        this.#seen.set(reference, {
          staleAfterMs: staleAfterMs[index] as number,
          lon: lon[index] as number,
          lat: lat[index] as number,
        });
      }
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
