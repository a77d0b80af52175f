import 'server-only';
import PQueue from 'p-queue';
import { unlessAborted } from '#lib/async/wait.ts';
import type { Layer, Mode } from '#lib/contract/operation.ts';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { dayUsedUpUntil } from '../allowance/allowance-cooldown.ts';
import type { Ledger, Refused } from '../allowance/ledger.ts';
import { withinMs } from '../machine.ts';
import type { ApiKey, ApiKeySource } from './api-key.ts';
import type { Budget } from './budget.ts';
import { Circuit, type PlannedRequests } from './circuit.ts';
import type { Cooldown } from './cooldown.ts';
import { type MayRequest, mayRequest, type Obstacle, type UpstreamAccess } from './may-request.ts';
import { type PageOutcome, pageOutcome } from './page-outcome.ts';
import { type Departure, ProbeGate } from './probe-gate.ts';
import { UpstreamClock } from './upstream-clock.ts';
import { UpstreamExchange, type UpstreamExchangeOptions } from './upstream-exchange.ts';
import {
  type HistoryPageQuery,
  historyRequest,
  type LivePageQuery,
  liveRequest,
  type UpstreamRequest,
} from './upstream-request.ts';

export interface UpstreamClientOptions extends Omit<UpstreamExchangeOptions, 'clock'> {
  readonly key: ApiKeySource;
  readonly ledger: Ledger;
  /** @returns a value uniform in [0, 1) */
  readonly random: () => number;
}

type Passage =
  | { readonly kind: 'free'; readonly key: ApiKey }
  | { readonly kind: 'blocked'; readonly cooldown: Cooldown }
  /** Pass `acceptedKeyId` to the next try. */
  | { readonly kind: 'behind'; readonly acceptedKeyId: Promise<string | undefined> };

const MAX_IN_FLIGHT = 4;
/** One connection is always free for a live request. */
const MAX_PAST_IN_FLIGHT = MAX_IN_FLIGHT - 1;
const PRIORITY: Readonly<Record<Mode, number>> = { live: 1, history: 0 };
/** Another request probes the allowance meanwhile. */
const OTHERS_PROBE_MS = 250;

/**
 * Requests single pages of the upstream, four at once and live ones first, where `mayRequest` and the ledger allow. It
 * follows no redirects, forwards no browser headers, and turns every failure into a reason.
 */
export class UpstreamClient {
  readonly clock: UpstreamClock;
  readonly circuit: Circuit;
  readonly #options: UpstreamClientOptions;
  readonly #gate: ProbeGate;
  readonly #exchange: UpstreamExchange;
  readonly #queue = new PQueue({ concurrency: MAX_IN_FLIGHT });
  readonly #pastQueue = new PQueue({ concurrency: MAX_PAST_IN_FLIGHT });
  readonly #inFlight = new Set<Promise<unknown>>();
  #restored: Promise<void> | undefined;
  /** Each request reads the key file, but only changes are logged. */
  #keyProblem: string | undefined;

  constructor(options: UpstreamClientOptions) {
    this.#options = options;
    this.clock = new UpstreamClock(options.now);
    this.circuit = new Circuit(options.random);
    this.#gate = new ProbeGate(options.now);
    this.#exchange = new UpstreamExchange({ ...options, clock: this.clock }, MAX_IN_FLIGHT);
  }

  async close(): Promise<void> {
    await this.#exchange.close();
  }

  get waiting(): Readonly<Record<Mode, number>> {
    return {
      live: this.#queue.sizeBy({ priority: PRIORITY.live }),
      history: this.#pastQueue.size + this.#queue.sizeBy({ priority: PRIORITY.history }),
    };
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /**
   * Reads no file: the key is as the latest request or `readKey` found it.
   * @param own obstacles of this task alone, by precedence
   */
  mayRequest<Own extends Obstacle = never>(
    work: PlannedRequests,
    own: readonly (Own | undefined)[] = [],
  ): MayRequest<Cooldown | Own> {
    return mayRequest(work, this.#access, this.#options.now(), own);
  }

  readKey(): void {
    this.#key();
  }

  isKeyRefused(): boolean {
    return this.#key() === undefined || this.circuit.isKeyRefused;
  }

  /** @throws Error where our own query breaks the contract; nothing is sent */
  async livePage(layer: Layer, query: LivePageQuery, budget: Budget): Promise<PageOutcome> {
    return this.#request(liveRequest(layer, query, this.#options.trackPrefix), budget);
  }

  /**
   * @param signal once sent, the answer is read to its end
   * @throws the signal's reason, if aborted before the request is sent
   * @throws Error where our own query breaks the contract
   */
  async historyPage(layer: Layer, query: HistoryPageQuery, budget: Budget, signal: AbortSignal): Promise<PageOutcome> {
    return this.#request(historyRequest(layer, query, this.clock.now()), budget, signal);
  }

  /** Lets the next request check a used-up day or refused key. */
  async retryAccount(): Promise<void> {
    this.circuit.retryKey(this.#options.now());
    this.circuit.forgetShortages();
    await this.#options.ledger.checkDay(this.clock.now());
  }

  async #request(request: UpstreamRequest, budget: Budget, signal?: AbortSignal): Promise<PageOutcome> {
    this.#restored ??= this.#restore();
    await this.#restored;
    let acceptedKeyId: string | undefined;
    for (;;) {
      signal?.throwIfAborted();
      // The passage is awaited outside the queue: there it would block requests that need not wait.
      const passage = this.#passage(request, acceptedKeyId);
      if (passage.kind === 'blocked') return passage;
      if (passage.kind === 'behind') {
        acceptedKeyId = await unlessAborted(passage.acceptedKeyId, signal);
        continue;
      }
      const outcome = await this.#queued(request, () => this.#leave(request, budget, acceptedKeyId, signal), signal);
      if (outcome === 'behind') continue;
      if (outcome !== 'probing') return outcome;
      await withinMs(Promise.race(this.#inFlight), OTHERS_PROBE_MS, signal);
      acceptedKeyId = undefined;
    }
  }

  #passage(request: UpstreamRequest, acceptedKeyId: string | undefined): Passage {
    const { operation, mode } = request;
    const key = this.#key();
    const answer = mayRequest(request, this.#access, this.#options.now());
    if (answer !== 'yes') return blocked(answer);
    if (!key) throw new Error('no request may leave without a key');
    const ahead = this.#gate.ahead({ operation, mode, keyId: key.id }, acceptedKeyId);
    return ahead === undefined ? { kind: 'free', key } : { kind: 'behind', acceptedKeyId: ahead };
  }

  async #leave(
    request: UpstreamRequest,
    budget: Budget,
    acceptedKeyId: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<PageOutcome | 'behind' | 'probing'> {
    const { operation, mode } = request;
    const passage = this.#passage(request, acceptedKeyId);
    if (passage.kind === 'behind') return 'behind';
    if (passage.kind === 'blocked') return passage;
    const { key } = passage;
    const isProven = this.circuit.operation(operation, this.#options.now()).kind === 'proven';
    return this.#gate.leave({ operation, mode, keyId: key.id, isProven }, async (departure) => {
      const refused = await budget.ready(this.clock.now());
      if (refused?.why === 'probing') return 'probing';
      if (refused) return blocked(this.#notGranted(refused, budget));
      signal?.throwIfAborted();
      const sent = this.#send(request, key, budget, departure);
      const ended = sent.then(ignore, ignore);
      this.#inFlight.add(ended);
      void ended.then(() => this.#inFlight.delete(ended));
      return sent;
    });
  }

  async #send(request: UpstreamRequest, key: ApiKey, budget: Budget, departure: Departure): Promise<PageOutcome> {
    const { circuit, clock } = this;
    const answer = await this.#exchange.send(request, key, budget, departure);
    return pageOutcome(answer, request, key.id, { ...this.#options, circuit, clock });
  }

  get #access(): UpstreamAccess {
    return { circuit: this.circuit, hasKey: this.#keyProblem === undefined };
  }

  /** A request already sent is paid for, so its answer is read. */
  async #queued<T>({ mode }: UpstreamRequest, leave: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const queued = new AbortController();
    const abort = () => queued.abort(signal?.reason);
    const stopListening = () => signal?.removeEventListener('abort', abort);
    signal?.addEventListener('abort', abort, { once: true });
    const options = { signal: queued.signal };
    const add = () =>
      this.#queue.add(
        () => {
          stopListening();
          return leave();
        },
        { ...options, priority: PRIORITY[mode] },
      );
    try {
      return await (mode === 'live' ? add() : this.#pastQueue.add(add, options));
    } finally {
      stopListening();
    }
  }

  /** Every consumer resumes at midnight: we resume a little later, with jitter. */
  #notGranted(refused: Refused, { spending, nextReservation }: Budget): Cooldown {
    const { why, until } = refused;
    if (why === 'paused') return this.circuit.pauseUntil(this.clock.toLocal(refused.until), refused.reason);
    if (why === 'operator') return { kind: 'timed', reason: 'share_used_up', until: this.clock.toLocal(until) };
    if (why === 'storage') return this.circuit.storageFailed('storage_failed', this.#options.now());
    if (why === 'database') return this.circuit.storageFailed('database_lost', this.#options.now());
    if (until === undefined) return { kind: 'reserved', reason: 'allowance_used_up' };
    const now = this.clock.now();
    const isWholeDay = why === 'day' && until >= nextUtcMidnight(now);
    const ends = this.clock.toLocal(isWholeDay ? dayUsedUpUntil(now, this.#options.random) : until);
    return this.circuit.allowanceUsedUp({ spending, requests: nextReservation }, ends, this.#options.now());
  }

  /** A key may have been refused before a restart. */
  async #restore(): Promise<void> {
    const { refusedKey } = await this.#options.ledger.state(this.clock.now());
    if (refusedKey) this.circuit.keyRefused(refusedKey.id, this.clock.toLocal(refusedKey.until));
  }

  /** An unreadable key file counts as no key. */
  #key(): ApiKey | undefined {
    try {
      const key = this.#options.key.current();
      this.circuit.switchKey(key.id);
      if (this.#keyProblem !== undefined) this.#options.log.info('the key of the upstream can be read again');
      this.#keyProblem = undefined;
      return key;
    } catch (error) {
      const problem = String(error);
      if (problem !== this.#keyProblem)
        this.#options.log.error({ err: error }, 'the key of the upstream cannot be read');
      this.#keyProblem = problem;
      return undefined;
    }
  }
}

function blocked(cooldown: Cooldown) {
  return { kind: 'blocked' as const, cooldown };
}

function ignore(): void {}
