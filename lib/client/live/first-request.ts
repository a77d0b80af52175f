import type { Bbox } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { arrived } from '../request/fetch-lookout.ts';

/** The query of a live request, without what an earlier answer adds. */
export interface LiveQuery {
  readonly bbox: string;
  readonly centre: string;
  readonly home: string | undefined;
  readonly layers: string;
}

/** An answer to a request that the page sent itself, for the worker that decodes answers. */
export interface SentAnswer {
  readonly status: number;
  readonly headers: readonly [string, string][];
  readonly body: ArrayBuffer;
  /** Times of sending and of the headers, in ms since `performance.timeOrigin` plus that origin. */
  readonly sentAtMs: number;
  readonly headersAtMs: number;
}

/** The script of the page (first-request-script.ts) leaves it for the modules. */
interface Sent {
  readonly query: LiveQuery & { readonly page: string };
  readonly sentMs: number;
  readonly answer: Promise<Omit<SentAnswer, 'sentAtMs' | 'headersAtMs'> & { readonly headersMs: number }>;
  readonly abort: AbortController;
}

declare global {
  interface Window {
    lookoutFirstRequest?: Sent | undefined;
  }
}

/** An older answer is of a page that was left and opened again. */
const TAKEN_WITHIN_MS = 30_000;

/**
 * The live request that left with the page. Its answer is taken once, by the first request of the page if that asks the
 * same; it is dropped otherwise.
 */
export class FirstRequest {
  /** Identifies the page: all its requests have it. */
  readonly page: string;
  readonly view: { readonly bbox: Bbox; readonly centre: LonLat };
  readonly #sent: Sent;
  #isTaken = false;

  private constructor(sent: Sent, view: FirstRequest['view']) {
    this.#sent = sent;
    this.view = view;
    this.page = sent.query.page;
  }

  /** @returns `undefined` where none was sent, or another part of the page has it */
  static open(page: Pick<Window, 'lookoutFirstRequest'>, nowMs: number): FirstRequest | undefined {
    const sent = page.lookoutFirstRequest;
    page.lookoutFirstRequest = undefined;
    if (!sent || nowMs - sent.sentMs > TAKEN_WITHIN_MS) return undefined;
    const parsed = parseBbox(sent.query.bbox);
    const [lon = Number.NaN, lat = Number.NaN] = sent.query.centre.split(',').map(Number);
    return parsed.ok ? new FirstRequest(sent, { bbox: parsed.bbox, centre: { lon, lat } }) : undefined;
  }

  /**
   * @returns `undefined` if the answer is to another query, or was taken
   * @throws LookoutRequestError if none arrives, or the reason of `signal`
   */
  async take(query: LiveQuery, signal: AbortSignal): Promise<SentAnswer | undefined> {
    const { query: sentQuery, sentMs, answer, abort } = this.#sent;
    if (this.#isTaken) return undefined;
    this.#isTaken = true;
    if ((['bbox', 'centre', 'home', 'layers'] as const).some((part) => query[part] !== sentQuery[part])) {
      abort.abort();
      return undefined;
    }
    const stop = () => abort.abort();
    signal.addEventListener('abort', stop);
    try {
      const { headersMs, ...received } = await arrived(answer);
      const { timeOrigin } = performance;
      return { ...received, sentAtMs: timeOrigin + sentMs, headersAtMs: timeOrigin + headersMs };
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}
