import 'server-only';
import PQueue from 'p-queue';
import type { Layer } from '#lib/contract/operation.ts';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import type { Ledger, Refused } from '../ports/ledger.ts';
import { dayUsedUpUntil } from './allowance-cooldown.ts';
import type { ApiKey, ApiKeySource } from './api-key.ts';
import type { Budget } from './budget.ts';
import { Circuit, type Work } from './circuit.ts';
import type { Cooldown } from './cooldown.ts';
import { type PageOutcome, pageOutcome } from './page-outcome.ts';
import { type Departure, ProbeGate } from './probe-gate.ts';
import { unlessAborted, withinMs } from './unless-aborted.ts';
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
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

const NO_KEY: Cooldown = { kind: 'latched', reason: 'key_refused' };
export const MAX_IN_FLIGHT = 4;
/** How long to wait for somebody else's request that finds out what is left of the allowance. */
const OTHERS_PROBE_MS = 250;

/**
 * Asks the upstream one page at a time. It never asks while the circuit is open, follows no redirect, sends no header of the
 * browser's, and turns everything that can go wrong into a reason. Every request is paid from a budget; where that has
 * nothing, none is made.
 */
export class UpstreamClient {
  readonly clock: UpstreamClock;
  readonly circuit: Circuit;
  readonly #options: UpstreamClientOptions;
  readonly #gate: ProbeGate;
  readonly #exchange: UpstreamExchange;
  readonly #queue = new PQueue({ concurrency: MAX_IN_FLIGHT });
  readonly #inFlight = new Set<Promise<unknown>>();

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

  /** Why such work cannot begin now; `undefined` where it may. */
  cooldown(work: Work): Cooldown | undefined {
    return this.#key() ? this.circuit.workCooldown(work, this.#options.now()) : NO_KEY;
  }

  isKeyRefused(): boolean {
    return this.#key() === undefined || this.circuit.isKeyRefused;
  }

  /** @throws Error where our own query breaks the contract: a defect, which never leaves */
  async livePage(layer: Layer, query: LivePageQuery, budget: Budget): Promise<PageOutcome> {
    return this.#ask(liveRequest(layer, query, this.#options.trackPrefix), budget);
  }

  /**
   * All that one request gives of a past window, `truncated` where that is not everything.
   * @param signal where it is aborted before the request leaves, none is made; one that has left is read to its end
   * @throws the signal's reason, as soon as it is aborted while the request has not left
   * @throws Error where our own query breaks the contract
   */
  async historyPage(layer: Layer, query: HistoryPageQuery, budget: Budget, signal: AbortSignal): Promise<PageOutcome> {
    return this.#ask(historyRequest(layer, query, this.clock.now()), budget, signal);
  }

  async #ask(request: UpstreamRequest, budget: Budget, signal?: AbortSignal): Promise<PageOutcome> {
    const { operation, mode } = request;
    const { now } = this.#options;
    let acceptedKeyId: string | undefined;
    for (;;) {
      signal?.throwIfAborted();
      const key = this.#key();
      const cooldown = key ? this.circuit.requestCooldown(request, now()) : NO_KEY;
      if (!key || cooldown) return blocked(cooldown ?? NO_KEY);
      const ahead = this.#gate.ahead({ operation, mode, keyId: key.id }, acceptedKeyId);
      if (ahead !== undefined) {
        acceptedKeyId = await unlessAborted(ahead, signal);
        continue;
      }
      const isProven = this.circuit.operation(operation, now()).kind === 'proven';
      const outcome = await this.#gate.leave({ operation, mode, keyId: key.id, isProven }, async (departure) => {
        const refused = await budget.ready(this.clock.now());
        if (refused?.why === 'probing') return 'probing';
        if (refused) return blocked(this.#notGranted(refused, budget));
        return this.#inTurn(() => this.#send(request, key, budget, departure), signal);
      });
      if (outcome !== 'probing') return outcome;
      await withinMs(Promise.race(this.#inFlight), OTHERS_PROBE_MS, signal);
      acceptedKeyId = undefined;
    }
  }

  async #send(request: UpstreamRequest, key: ApiKey, budget: Budget, departure: Departure): Promise<PageOutcome> {
    const { circuit, clock } = this;
    // Something may have been refused while this request waited for its turn.
    const cooldown = circuit.requestCooldown(request, this.#options.now());
    if (cooldown) return blocked(cooldown);
    const answer = await this.#exchange.send(request, key, budget, departure);
    return pageOutcome(answer, request, key.id, { ...this.#options, circuit, clock });
  }

  /** At most so many at once. One that is given up leaves the queue; one that has left is paid, and is read to its end. */
  async #inTurn<T>(send: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted();
    const waiting = new AbortController();
    const giveUp = () => waiting.abort(signal?.reason);
    const stopListening = () => signal?.removeEventListener('abort', giveUp);
    signal?.addEventListener('abort', giveUp, { once: true });
    const sent = this.#queue.add(
      () => {
        stopListening();
        return send();
      },
      { signal: waiting.signal },
    );
    const ended = sent.then(stopListening, stopListening);
    this.#inFlight.add(ended);
    void ended.then(() => this.#inFlight.delete(ended));
    return sent;
  }

  /** Where the whole day is used up, everybody comes back at midnight: we a little later, and not all at once. */
  #notGranted({ why, until }: Refused, { spending, wanted }: Budget): Cooldown {
    if (until === undefined) return { kind: 'reserved', reason: 'allowance_used_up' };
    const now = this.clock.now();
    if (why === 'paused') return this.circuit.pauseUntil(this.clock.toLocal(until), 'allowance_used_up');
    const isWholeDay = why === 'day' && until >= nextUtcMidnight(now);
    const ends = this.clock.toLocal(isWholeDay ? dayUsedUpUntil(now, this.#options.random) : until);
    return this.circuit.allowanceUsedUp({ spending, requests: wanted }, ends, this.#options.now());
  }

  /** A key file that cannot be read now is as good as no key: nothing is asked until it can. */
  #key(): ApiKey | undefined {
    try {
      const key = this.#options.key.current();
      this.circuit.switchKey(key.id);
      return key;
    } catch (error) {
      this.#options.log.error({ err: error }, 'the key of the upstream cannot be read');
      return undefined;
    }
  }
}

function blocked(cooldown: Cooldown): PageOutcome {
  return { kind: 'blocked', cooldown };
}
