import { EtagMismatch, FetchSource, type RangeResponse, type Source } from 'pmtiles';
import { untilItComes } from './until-it-comes.ts';

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
  getBytes(offset: number, length: number, signal?: AbortSignal, etag?: string): Promise<RangeResponse> {
    const onFailure = (error: unknown) => {
      if (error instanceof EtagMismatch) throw error;
    };
    const read = () => this.#source.getBytes(offset, length, signal, etag);
    return untilItComes(read, { firstWaitMs: this.#firstWaitMs, onFailure }, signal);
  }
}
