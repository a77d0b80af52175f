import 'server-only';
import PQueue from 'p-queue';
import type { Layer } from '#lib/contract/operation.ts';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { dayUsedUpUntil } from '../allowance/allowance-cooldown.ts';
import type { Ledger, Refused } from '../ports/ledger.ts';
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
/** How long to wait for another request that probes the allowance. */
const OTHERS_PROBE_MS = 250;

/**
 * Requests one page at a time from the upstream. It sends nothing while the circuit is open, follows no redirect, forwards no
 * header of the browser, and turns every failure into a reason. Every request is paid for from a budget; where the budget
 * has nothing left, no request is sent.
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

  /** Why this work cannot start now; `undefined` where it can. */
  cooldown(work: Work): Cooldown | undefined {
    return this.#key() ? this.circuit.workCooldown(work, this.#options.now()) : NO_KEY;
  }

  isKeyRefused(): boolean {
    return this.#key() === undefined || this.circuit.isKeyRefused;
  }

  /** @throws Error where our own query breaks the contract: a defect, and the request is not sent */
  async livePage(layer: Layer, query: LivePageQuery, budget: Budget): Promise<PageOutcome> {
    return this.#request(liveRequest(layer, query, this.#options.trackPrefix), budget);
  }

  /**
   * Everything that one request returns of a past window; `truncated` where that is not all.
   * @param signal if aborted before the request is sent, nothing is sent; once sent, the answer is read to its end
   * @throws the signal's reason, as soon as it is aborted before the request is sent
   * @throws Error where our own query breaks the contract
   */
  async historyPage(layer: Layer, query: HistoryPageQuery, budget: Budget, signal: AbortSignal): Promise<PageOutcome> {
    return this.#request(historyRequest(layer, query, this.clock.now()), budget, signal);
  }

  async #request(request: UpstreamRequest, budget: Budget, signal?: AbortSignal): Promise<PageOutcome> {
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
        return this.#queued(() => this.#send(request, key, budget, departure), signal);
      });
      if (outcome !== 'probing') return outcome;
      await withinMs(Promise.race(this.#inFlight), OTHERS_PROBE_MS, signal);
      acceptedKeyId = undefined;
    }
  }

  async #send(request: UpstreamRequest, key: ApiKey, budget: Budget, departure: Departure): Promise<PageOutcome> {
    const { circuit, clock } = this;
    // Something may have been refused while this request was queued.
    const cooldown = circuit.requestCooldown(request, this.#options.now());
    if (cooldown) return blocked(cooldown);
    const answer = await this.#exchange.send(request, key, budget, departure);
    return pageOutcome(answer, request, key.id, { ...this.#options, circuit, clock });
  }

  /** Limits concurrency. An aborted request leaves the queue; one already sent is paid for, so its answer is read. */
  async #queued<T>(send: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted();
    const queued = new AbortController();
    const abort = () => queued.abort(signal?.reason);
    const stopListening = () => signal?.removeEventListener('abort', abort);
    signal?.addEventListener('abort', abort, { once: true });
    const sent = this.#queue.add(
      () => {
        stopListening();
        return send();
      },
      { signal: queued.signal },
    );
    const ended = sent.then(stopListening, stopListening);
    this.#inFlight.add(ended);
    void ended.then(() => this.#inFlight.delete(ended));
    return sent;
  }

  /** When the whole day is used up, every consumer resumes at midnight: we resume a little later, with jitter. */
  #notGranted({ why, until }: Refused, { spending, nextReservation }: Budget): Cooldown {
    if (until === undefined) return { kind: 'reserved', reason: 'allowance_used_up' };
    const now = this.clock.now();
    if (why === 'paused') return this.circuit.pauseUntil(this.clock.toLocal(until), 'allowance_used_up');
    const isWholeDay = why === 'day' && until >= nextUtcMidnight(now);
    const ends = this.clock.toLocal(isWholeDay ? dayUsedUpUntil(now, this.#options.random) : until);
    return this.circuit.allowanceUsedUp({ spending, requests: nextReservation }, ends, this.#options.now());
  }

  /** A key file that cannot be read counts as no key: nothing is sent until it can be read again. */
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
