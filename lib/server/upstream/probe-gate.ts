import 'server-only';
import type { Mode, OperationId } from '#lib/contract/operation.ts';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';

/**
 * How long others wait for an answer to begin. The upstream looks at the key first, so an answer that is longer in coming is
 * about data, and the key was accepted. Queries of the past are slow, and a live refresh is not held up by one.
 */
const UNANSWERED_MS: Readonly<Record<Mode, number>> = { live: 1000, history: 100 };
/** The requests of a load follow each other: where the key was accepted so lately, they do not wait for one another. */
const TRUSTED_MS = 1000;

/** A request that is about to leave. */
export interface Asking {
  readonly operation: OperationId;
  readonly mode: Mode;
  readonly keyId: string;
  /** False where the operation is not known to be in order: until this request has ended, no other of it leaves. */
  readonly isProven: boolean;
}

/** What a request tells those that wait for it. */
export interface Departure {
  /** It leaves now. */
  sent(): void;
  /** Its answer has begun, and is none that refuses: the key is good. */
  accepted(): void;
}

/**
 * Who goes first. What the upstream refuses is to be met by one request, whatever else is waiting to leave:
 * - a key may turn bad at any moment, so while the answer to one request has not begun, live refreshes wait for it. Those that
 *   were waiting when an answer showed the key to be good leave together.
 * - an operation that is not known to be in order is tried by one request (half open), and the next ones wait for its end.
 */
export class ProbeGate {
  readonly #now: () => LocalInstant;
  readonly #probes = new Map<OperationId, Promise<undefined>>();
  /** The latest request whose answer has not begun. Ends with the key that was accepted, with nothing where none was. */
  #unanswered: Promise<string | undefined> | undefined;
  #lastAccepted: { readonly keyId: string; readonly at: LocalInstant } | undefined;

  constructor(now: () => LocalInstant) {
    this.#now = now;
  }

  /**
   * What a request has to wait for; `undefined` where it may leave now.
   * @param acceptedKeyId what its latest wait ended with
   */
  ahead(asking: Omit<Asking, 'isProven'>, acceptedKeyId: string | undefined): Promise<string | undefined> | undefined {
    const { operation, keyId } = asking;
    const probe = this.#probes.get(operation);
    if (probe !== undefined) return probe;
    return acceptedKeyId === keyId || this.#isTrusted(asking) ? undefined : this.#unanswered;
  }

  /** Lets a request leave; where `ahead` has something to wait for, it is too soon. */
  async leave<T>({ operation, mode, keyId, isProven }: Asking, send: (departure: Departure) => Promise<T>): Promise<T> {
    const { promise: unanswered, resolve } = Promise.withResolvers<string | undefined>();
    let patience: NodeJS.Timeout | undefined;
    const answered = (acceptedKeyId: string | undefined) => {
      clearTimeout(patience);
      if (this.#unanswered === unanswered) this.#unanswered = undefined;
      resolve(acceptedKeyId);
    };
    this.#unanswered = unanswered;
    const ended = Promise.withResolvers<undefined>();
    if (!isProven) this.#probes.set(operation, ended.promise);
    try {
      return await send({
        sent: () => {
          patience = setTimeout(() => answered(keyId), UNANSWERED_MS[mode]);
        },
        accepted: () => {
          this.#lastAccepted = { keyId, at: this.#now() };
          answered(keyId);
        },
      });
    } finally {
      answered(undefined);
      if (!isProven) this.#probes.delete(operation);
      ended.resolve(undefined);
    }
  }

  #isTrusted({ mode, keyId }: Pick<Asking, 'mode' | 'keyId'>): boolean {
    const last = this.#lastAccepted;
    return mode === 'history' && last?.keyId === keyId && msBetween(last.at, this.#now()) < TRUSTED_MS;
  }
}
