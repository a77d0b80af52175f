import 'server-only';
import type { Mode, OperationId } from '#lib/contract/operation.ts';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';

/**
 * The upstream checks the key first: a slower answer waits for data, so the key was accepted. History is slow, and live
 * refreshes do not wait for it.
 */
const UNANSWERED_MS: Readonly<Record<Mode, number>> = { live: 1000, history: 100 };
/** For this long after the key was accepted, requests of a load do not wait for each other. */
const TRUSTED_MS = 1000;

export interface Departing {
  readonly operation: OperationId;
  readonly mode: Mode;
  readonly keyId: string;
  /** Whether the operation works; otherwise, its other requests wait for this one's end. */
  readonly isProven: boolean;
}

export interface Departure {
  sent(): void;
  accepted(): void;
}

/**
 * Lets a single request meet each refusal. A key may be revoked at any time, so live refreshes wait until another
 * answer has started. An operation of unknown state is tried by one request (half open).
 */
export class ProbeGate {
  readonly #now: () => LocalInstant;
  readonly #probes = new Map<OperationId, Promise<undefined>>();
  /** Resolves to the accepted key's id, or `undefined` where none was. */
  #unanswered: Promise<string | undefined> | undefined;
  #lastAccepted: { readonly keyId: string; readonly at: LocalInstant } | undefined;

  constructor(now: () => LocalInstant) {
    this.#now = now;
  }

  /**
   * The end that the request has to wait for; `undefined` if it may be sent now.
   * @param acceptedKeyId result of its latest wait
   */
  ahead(
    request: Omit<Departing, 'isProven'>,
    acceptedKeyId: string | undefined,
  ): Promise<string | undefined> | undefined {
    const { operation, keyId } = request;
    const probe = this.#probes.get(operation);
    if (probe !== undefined) return probe;
    return acceptedKeyId === keyId || this.#isTrusted(request) ? undefined : this.#unanswered;
  }

  /** Not to be called while `ahead` returns a promise. */
  async leave<T>(
    { operation, mode, keyId, isProven }: Departing,
    send: (departure: Departure) => Promise<T>,
  ): Promise<T> {
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

  #isTrusted({ mode, keyId }: Pick<Departing, 'mode' | 'keyId'>): boolean {
    const last = this.#lastAccepted;
    return mode === 'history' && last?.keyId === keyId && msBetween(last.at, this.#now()) < TRUSTED_MS;
  }
}
