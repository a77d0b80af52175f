import 'server-only';
import type { Mode, OperationId } from '#lib/contract/operation.ts';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';

/**
 * How long others wait for an answer to start. The upstream checks the key first, so an answer that takes longer is waiting
 * for data, and the key was accepted. History queries are slow, and a live refresh does not wait for them.
 */
const UNANSWERED_MS: Readonly<Record<Mode, number>> = { live: 1000, history: 100 };
/** A load sends many requests in a row: for this long after the key was accepted they do not wait for each other. */
const TRUSTED_MS = 1000;

/** A request that is about to be sent. */
export interface Departing {
  readonly operation: OperationId;
  readonly mode: Mode;
  readonly keyId: string;
  /** False where the operation's state is unknown: no other request of it is sent until this one has ended. */
  readonly isProven: boolean;
}

/** The reports of a request to those that wait for it. */
export interface Departure {
  /** It was sent. */
  sent(): void;
  /** Its answer has started with success: the key is good. */
  accepted(): void;
}

/**
 * Decides which request goes first, so that each refusal of the upstream is met by a single request.
 *
 * A key may be revoked at any time, so live refreshes wait while the answer to another request has not started. They
 * leave together once an answer shows the key to be good.
 *
 * An operation of unknown state is tried by one request (half open), and the next ones wait for its end.
 */
export class ProbeGate {
  readonly #now: () => LocalInstant;
  readonly #probes = new Map<OperationId, Promise<undefined>>();
  /** The latest request whose answer has not started. Resolves to the accepted key's id, or `undefined` where none was. */
  #unanswered: Promise<string | undefined> | undefined;
  #lastAccepted: { readonly keyId: string; readonly at: LocalInstant } | undefined;

  constructor(now: () => LocalInstant) {
    this.#now = now;
  }

  /**
   * The wait of a request; `undefined` if it may be sent now.
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

  /** Sends a request. Not to be called while `ahead` returns something to wait for. */
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
