import 'server-only';
import type { Layer } from '#lib/model/position.ts';
import type { Cooldown } from '../../upstream/cooldown.ts';
import type { HistoryPart, Part } from './history-part.ts';

/** `requests`: made to the upstream for this call; where several wait for one request, the first counts it. */
export type PartOutcome = { readonly requests: number } & (
  | { readonly kind: 'part'; readonly part: HistoryPart }
  | { readonly kind: 'blocked'; readonly cooldown: Cooldown }
);

/** Reads parts that are not cached. */
export interface PartSource {
  /**
   * @param operator from whose share a request is paid
   * @throws when the signal is aborted
   */
  read(layer: Layer, part: Part, operator: string, signal: AbortSignal): Promise<PartOutcome>;
}

interface PendingRead {
  readonly outcome: Promise<PartOutcome>;
  readonly abort: AbortController;
  waiting: number;
}

/** Reads of one source, each once for all that wait for it. One that nothing waits for any more is aborted. */
export class JoinedReads {
  readonly #source: PartSource;
  readonly #joined: () => void;
  readonly #pending = new Map<string, PendingRead>();

  /** @param joined called when a read is joined */
  constructor(source: PartSource, joined: () => void) {
    this.#source = source;
    this.#joined = joined;
  }

  /**
   * @param key of the part
   * @param operator pays for a new read; a read in flight is paid by the operator who began it
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
          // A later call starts a new read instead of joining one that is being aborted.
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
    // Also when every caller has left, so that no caller notices its end.
    pending.outcome.then(end, end);
    this.#pending.set(key, pending);
    return pending;
  }
}
