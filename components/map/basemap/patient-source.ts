import { EtagMismatch, FetchSource, type RangeResponse, type Source } from 'pmtiles';

const WAIT_MAX_MS = 20_000;

/**
 * An archive of the built-in basemap. What could not be read is asked for again until it comes or nobody wants it any more: MapLibre would leave a hole
 * until the map is moved, and pmtiles an empty map until the page is loaded anew, and nobody does either to a map on a wall.
 */
export class PatientSource implements Source {
  readonly #source: FetchSource;
  readonly #firstWaitMs: number;

  constructor(url: string, firstWaitMs = 1000) {
    this.#source = new FetchSource(url);
    this.#firstWaitMs = firstWaitMs;
  }

  getKey(): string {
    return this.#source.getKey();
  }

  /** @throws EtagMismatch where the archive is another one than it was; the signal's reason */
  async getBytes(offset: number, length: number, signal?: AbortSignal, etag?: string): Promise<RangeResponse> {
    for (let waitMs = this.#firstWaitMs; ; waitMs = Math.min(WAIT_MAX_MS, 2 * waitMs)) {
      try {
        return await this.#source.getBytes(offset, length, signal, etag);
      } catch (error) {
        if (error instanceof EtagMismatch) throw error;
      }
      await waited(waitMs, signal);
    }
  }
}

/** @throws the signal's reason, as soon as it is aborted */
function waited(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
