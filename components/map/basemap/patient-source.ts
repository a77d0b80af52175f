import { EtagMismatch, FetchSource, type RangeResponse, type Source } from 'pmtiles';
import { retryUntilDone } from './retry-until-done.ts';

/**
 * An archive of the built-in basemap that repeats failed reads until they succeed or are aborted. Otherwise MapLibre leaves a hole
 * until the map is moved, and pmtiles leaves an empty map until a reload. Neither happens to a map on a wall.
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

  /** @throws EtagMismatch if the archive was replaced; the signal's reason */
  getBytes(offset: number, length: number, signal?: AbortSignal, etag?: string): Promise<RangeResponse> {
    const onFailure = (error: unknown) => {
      if (error instanceof EtagMismatch) throw error;
    };
    const read = () => this.#source.getBytes(offset, length, signal, etag);
    return retryUntilDone(read, { firstWaitMs: this.#firstWaitMs, onFailure }, signal);
  }
}
