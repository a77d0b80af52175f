import 'server-only';
import type { EndLine, ProgressLine, QueuedLine } from '#lib/api/history-line.ts';
import { FAILURES } from '#lib/api/layer-reason.ts';
import { addMs, type LocalInstant, msBetween } from '#lib/time/instant.ts';
import type { Cooldown, TimedCooldown } from '../upstream/cooldown.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import type { BoxLoad } from './box-load.ts';
import { type HistoryPart, type PartOutcome, type PastPart, partKey } from './parts/history-part.ts';
import type { PartReader } from './parts/part-reader.ts';
import { endLine, progressLine, REPEATED_AFTER_MS } from './progress-lines.ts';

/** Parts of a load at once: live refreshes share the client's four connections. */
const PARTS_AT_ONCE = 2;
/** A box is given up after this many failed parts: an unreachable service is not tried for each of them. */
const MAX_FAILED_IN_A_ROW = 3;

/** How often a part is retried. */
const MAX_RETRIES = 2;
/** The share of a load's requests that may be retries; the first failing part may use all of its own. */
const RETRY_SHARE = 0.05;
/** A longer pause is not waited for. */
const MAX_PAUSE_MS = 150_000;
/** The rest of the allowance is reserved for requests that take about this long. */
const RESERVED_WAIT_MS = 500;

export type LoadEvent =
  | { readonly kind: 'part'; readonly part: HistoryPart }
  | { readonly kind: 'line'; readonly line: QueuedLine | ProgressLine | EndLine };

export interface HistoryLoadOptions {
  readonly loads: readonly BoxLoad[];
  readonly reader: PartReader;
  readonly operator: string;
  readonly clock: UpstreamClock;
  readonly maxRequests: number;
  readonly signal: AbortSignal;
  readonly now: () => LocalInstant;
  /** Rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface PartOfLoad {
  readonly load: BoxLoad;
  readonly part: PastPart;
}

interface Settled extends PartOfLoad {
  readonly mayCost: boolean;
  readonly outcome: PartOutcome;
  readonly promise: Promise<Settled>;
}

/**
 * Loads boxes part by part, nearest to the cursor first, and waits out pauses that are worth it. Sends requests only while
 * events are consumed.
 */
export async function* loadHistory(options: HistoryLoadOptions): AsyncGenerator<LoadEvent> {
  const { loads, clock } = options;
  const run = new Run(options);
  const progress = (): LoadEvent => ({ kind: 'line', line: progressLine(loads, run.paused(), clock) });
  for (const { cached } of loads) {
    for (const part of cached) yield { kind: 'part', part };
  }
  yield progress();
  for (;;) {
    const settled = await run.nextSettled();
    if (!settled) break;
    if (settled === 'paused') {
      yield progress();
      continue;
    }
    const part = await run.apply(settled);
    if (part) yield { kind: 'part', part };
    yield progress();
  }
  // The last answer can leave parts that no request is left for.
  yield progress();
  yield { kind: 'line', line: endLine(loads) };
}

class Run {
  readonly #options: HistoryLoadOptions;
  readonly #retries = new RetryPolicy();
  readonly #inFlight = new Set<Promise<Settled>>();
  readonly #toRetry: PartOfLoad[] = [];
  #requests = 0;
  #requestsInFlight = 0;

  constructor(options: HistoryLoadOptions) {
    this.#options = options;
  }

  /** The next settled part; `paused` where there was none for a while; `undefined` at the end. */
  async nextSettled(): Promise<Settled | 'paused' | undefined> {
    const { now, sleep, signal } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const paused = this.paused();
      if (!paused) this.#fill();
      if (this.#inFlight.size > 0) {
        const settled = await Promise.race(this.#inFlight);
        this.#inFlight.delete(settled.promise);
        return settled;
      }
      if (!paused || this.#open().length === 0) return undefined;
      const pauseMs = msBetween(now(), paused.until);
      await sleep(Math.min(pauseMs, REPEATED_AFTER_MS), signal);
      if (pauseMs > REPEATED_AFTER_MS) return 'paused';
    }
  }

  /** The cooldown that pauses the load. One of a layer pauses the others too. */
  paused(): TimedCooldown | undefined {
    const { reader, maxRequests, now } = this.#options;
    if (maxRequests === 0) return undefined;
    const at = now();
    const reservedUntil = this.#retries.reservedUntil(at);
    if (reservedUntil !== undefined) return { kind: 'timed', reason: 'allowance_used_up', until: reservedUntil };
    for (const layer of new Set(this.#open().map(({ box }) => box.layer))) {
      const answer = reader.mayRequest(layer);
      if (answer !== 'yes' && answer.kind === 'timed' && this.#retries.isWorthWaiting(answer, at)) return answer;
    }
    return undefined;
  }

  async apply({ load, part, mayCost, outcome }: Settled): Promise<HistoryPart | undefined> {
    if (mayCost) this.#requestsInFlight--;
    this.#requests += outcome.requests;
    load.requests += outcome.requests;
    if (outcome.kind === 'part') {
      this.#retries.succeeded();
      const isAnnounced = await load.answered(part, outcome.part, outcome.requests === 0);
      if (load.failedInARow >= MAX_FAILED_IN_A_ROW) load.stop('answer_unreadable');
      return isAnnounced ? outcome.part : undefined;
    }
    this.#handleFailure({ load, part }, outcome.cooldown, outcome.requests > 0);
    return undefined;
  }

  get #requestsLeft(): number {
    return this.#options.maxRequests - this.#requests - this.#requestsInFlight;
  }

  #open(): readonly BoxLoad[] {
    return this.#options.loads.filter(
      (load) => load.hasOpenParts || this.#toRetry.some((waiting) => waiting.load === load),
    );
  }

  #fill(): void {
    for (const { load, part } of this.#toRetry.splice(0)) {
      if (this.#requestsLeft > 0) this.#read(load, part);
      else load.stop('not_requested');
    }
    for (const load of this.#nearestFirst()) {
      while (this.#inFlight.size < PARTS_AT_ONCE) {
        const part = load.next();
        if (!part) break;
        if (this.#requestsLeft > 0 || this.#options.reader.isCached(load.box.layer, part)) this.#read(load, part);
        else load.stop('not_requested');
      }
    }
  }

  #nearestFirst(): readonly BoxLoad[] {
    return this.#options.loads
      .map((load) => ({ load, distanceMs: load.openDistanceMs ?? Number.POSITIVE_INFINITY }))
      .sort((a, b) => Math.sign(a.distanceMs - b.distanceMs) || 0)
      .map(({ load }) => load);
  }

  #read(load: BoxLoad, part: PastPart): void {
    const { reader, operator, signal } = this.#options;
    const mayCost = !reader.isCached(load.box.layer, part);
    if (mayCost) this.#requestsInFlight++;
    const promise: Promise<Settled> = reader
      .read(load.box.layer, part, operator, signal)
      .then((outcome) => ({ load, part, mayCost, outcome, promise }));
    this.#inFlight.add(promise);
    // Of several that fail together only the first is reported.
    promise.catch(() => undefined);
  }

  #handleFailure({ load, part }: PartOfLoad, cooldown: Cooldown, wasRequested: boolean): void {
    const { reason } = cooldown;
    const key = partKey(load.box.layer, part);
    const now = this.#options.now();
    switch (this.#retries.judge({ cooldown, key, wasRequested, requests: this.#requests, now })) {
      case 'give-up':
        load.failed(part, reason);
        load.stop(reason);
        return;
      case 'retry':
        this.#toRetry.push({ load, part });
        return;
      case 'failed': {
        const halves = FAILURES[reason].load === 'retry-halved' ? this.#halved(load, part, key) : [];
        this.#toRetry.push(...halves.map((half) => ({ load, part: half })));
        if (halves.length > 0) return;
        load.failed(part, reason);
        if (load.failedInARow >= MAX_FAILED_IN_A_ROW) load.stop(reason);
      }
    }
  }

  #halved(load: BoxLoad, part: PastPart, key: string): readonly PastPart[] {
    const isTried = this.#retries.isPersistent(key) || load.halvingHelped;
    return isTried && this.#requestsLeft >= 2 ? load.halve(part) : [];
  }
}

type Verdict =
  /** The whole box is given up. */
  | 'give-up'
  | 'retry'
  /** The part may succeed in smaller windows. */
  | 'failed';

interface RequestFailure {
  readonly cooldown: Cooldown;
  /** The key of the part, the same for each try. */
  readonly key: string;
  /** False where another request met the refusal. */
  readonly wasRequested: boolean;
  readonly requests: number;
  readonly now: LocalInstant;
}

/** Decides what a failed request means for its part and its box. */
export class RetryPolicy {
  readonly #retriesOf = new Map<string, number>();
  #retries = 0;
  /** Since when it waits for another server, or the database. */
  #waitsSince: LocalInstant | undefined;
  /** The rest of the allowance is reserved for others. */
  #reserved: { readonly since: LocalInstant; readonly checkAt: LocalInstant } | undefined;

  judge({ cooldown, key, wasRequested, requests, now }: RequestFailure): Verdict {
    switch (FAILURES[cooldown.reason].load) {
      case 'give-up':
        return 'give-up';
      case 'pause':
        if (cooldown.kind === 'reserved') return this.#waitForReserved(now);
        return this.isWorthWaiting(cooldown, now) ? 'retry' : 'give-up';
      case 'wait':
        this.#waitsSince ??= now;
        return msBetween(this.#waitsSince, now) > MAX_PAUSE_MS ? 'give-up' : 'retry';
      case 'retry':
      case 'retry-halved': {
        const isPaused = !wasRequested && cooldown.kind === 'timed' && cooldown.until > now;
        return isPaused || this.#takeRetry(key, requests) ? 'retry' : 'failed';
      }
    }
  }

  isWorthWaiting(cooldown: Cooldown, now: LocalInstant): boolean {
    const { load } = FAILURES[cooldown.reason];
    if (cooldown.kind !== 'timed' || load === 'give-up') return false;
    return load !== 'pause' || msBetween(now, cooldown.until) <= MAX_PAUSE_MS;
  }

  reservedUntil(now: LocalInstant): LocalInstant | undefined {
    return this.#reserved && now < this.#reserved.checkAt ? this.#reserved.checkAt : undefined;
  }

  succeeded(): void {
    this.#waitsSince = undefined;
    this.#reserved = undefined;
  }

  isPersistent(key: string): boolean {
    return (this.#retriesOf.get(key) ?? 0) >= MAX_RETRIES;
  }

  #waitForReserved(now: LocalInstant): Verdict {
    const since = this.#reserved?.since ?? now;
    this.#reserved = { since, checkAt: addMs(now, RESERVED_WAIT_MS) };
    return msBetween(since, now) > MAX_PAUSE_MS ? 'give-up' : 'retry';
  }

  #takeRetry(key: string, requests: number): boolean {
    const budget = Math.max(MAX_RETRIES, Math.floor(RETRY_SHARE * requests));
    if (this.isPersistent(key) || this.#retries >= budget) return false;
    this.#retriesOf.set(key, (this.#retriesOf.get(key) ?? 0) + 1);
    this.#retries++;
    return true;
  }
}
