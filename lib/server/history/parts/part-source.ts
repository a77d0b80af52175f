import 'server-only';
import type { Layer } from '#lib/model/position.ts';
import type { Cooldown } from '../../upstream/cooldown.ts';
import type { HistoryPart, Part } from './history-part.ts';

/** Where several calls wait for one request, the first counts it. */
export type PartOutcome = { readonly requests: number } & (
  | { readonly kind: 'part'; readonly part: HistoryPart }
  | { readonly kind: 'blocked'; readonly cooldown: Cooldown }
);

export interface PartSource {
  /** @throws when the signal is aborted */
  read(layer: Layer, part: Part, operator: string, signal: AbortSignal): Promise<PartOutcome>;
}

interface PendingRead {
  readonly outcome: Promise<PartOutcome>;
  readonly abort: AbortController;
  waiting: number;
}

/** Joins equal reads; aborts one when its last caller leaves. */
export class JoinedReads {
  readonly #source: PartSource;
  readonly #joined: () => void;
  readonly #pending = new Map<string, PendingRead>();

  constructor(source: PartSource, joined: () => void) {
    this.#source = source;
    this.#joined = joined;
  }

  /**
   * @param operator pays for a new read, not for one in flight
   * @throws the signal's reason, as soon as it is aborted
   */
  async read(key: string, layer: Layer, part: Part, operator: string, signal: AbortSignal): Promise<PartOutcome> {
    for (;;) {
      signal.throwIfAborted();
      const joined = this.#pending.get(key);
      if (joined) this.#joined();
      const pending = joined ?? this.#begin(key, layer, part, operator);
      const outcome = await this.#waitFor(key, pending, signal);
      if (!joined) return outcome;
      // The used-up share may belong to the operator who began the read.
      const isOthers = outcome.kind === 'blocked' && outcome.cooldown.reason === 'share_used_up';
      if (!isOthers) return { ...outcome, requests: 0 };
      if (this.#pending.get(key) === joined) this.#pending.delete(key);
    }
  }

  #waitFor(key: string, pending: PendingRead, signal: AbortSignal): Promise<PartOutcome> {
    pending.waiting++;
    return new Promise((resolve, reject) => {
      const leave = () => {
        pending.waiting--;
        if (pending.waiting === 0) {
          // A later call starts a new read instead of joining the aborted one.
          this.#pending.delete(key);
          pending.abort.abort();
        }
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      pending.outcome.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  #begin(key: string, layer: Layer, part: Part, operator: string): PendingRead {
    const abort = new AbortController();
    const pending: PendingRead = {
      outcome: this.#source.read(layer, part, operator, abort.signal),
      abort,
      waiting: 0,
    };
    const end = () => {
      if (this.#pending.get(key) === pending) this.#pending.delete(key);
    };
    // Also when every caller has left.
    pending.outcome.then(end, end);
    this.#pending.set(key, pending);
    return pending;
  }
}
