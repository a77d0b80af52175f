import { EtagMismatch, FetchSource, type RangeResponse, type Source } from 'pmtiles';
import { backOffMs } from '#lib/async/back-off.ts';
import { sleep } from '#lib/client/browser/page-timers.ts';

/** An archive of tiles on our own server. It repeats failed reads: MapLibre would leave a hole until the map moves, and pmtiles an empty map until a reload. */
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

const WAIT_MAX_MS = 20_000;

interface Patience {
  readonly firstWaitMs?: number;
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Retries at growing intervals.
 * @throws the signal's reason, and errors of `onFailure`
 */
export async function retryUntilDone<Answer>(
  ask: () => Promise<Answer>,
  { firstWaitMs = 1000, onFailure }: Patience,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  for (let failures = 1; ; failures++) {
    try {
      return await ask();
    } catch (error) {
      onFailure?.(error);
    }
    await sleep(backOffMs(failures, { firstMs: firstWaitMs, maxMs: WAIT_MAX_MS }), signal);
  }
}
