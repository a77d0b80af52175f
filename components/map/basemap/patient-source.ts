import { EtagMismatch, FetchSource, type RangeResponse, type Source } from 'pmtiles';
import { retryUntilDone } from './retry-until-done.ts';

/** Repeats failed reads: MapLibre would leave a hole until the map moves, and pmtiles an empty map until a reload. */
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
