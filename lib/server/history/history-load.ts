import 'server-only';
import type { EndLine, ProgressLine } from '#lib/api/history-line.ts';
import { FAILURES } from '#lib/api/layer-reason.ts';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';
import type { Cooldown, TimedCooldown } from '../upstream/cooldown.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import type { BoxLoad } from './box-load.ts';
import { type HistoryPart, partKey } from './history-part.ts';
import { endLine, progressLine } from './load-lines.ts';
import type { PartOutcome, PartReader } from './part-reader.ts';
import { RetryPolicy } from './retry-policy.ts';
import type { Part } from './split/part.ts';

/** Of one load at a time: live refreshes share the four that the client allows. */
const PARTS_AT_ONCE = 2;
/** A service that is down is not asked for each part of a load. */
const MAX_FAILED_IN_A_ROW = 3;

export type LoadEvent =
  | { readonly kind: 'part'; readonly part: HistoryPart }
  | { readonly kind: 'line'; readonly line: ProgressLine | EndLine };

export interface HistoryLoadOptions {
  readonly loads: readonly BoxLoad[];
  readonly reader: PartReader;
  readonly clock: UpstreamClock;
  /** Requests to the upstream at most. */
  readonly maxRequests: number;
  readonly signal: AbortSignal;
  readonly now: () => LocalInstant;
  /** Rejects where the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A part of one of the boxes. */
interface Asked {
  readonly load: BoxLoad;
  readonly part: Part;
}

interface Settled extends Asked {
  /** Whether it may have cost a request, as far as was known when it began. */
  readonly mayCost: boolean;
  readonly outcome: PartOutcome;
  readonly promise: Promise<Settled>;
}

/**
 * Loads everything and announces it as it comes: parts, how far it is, and at the end what is missing. Nothing is asked while
 * nobody takes what was announced, and nothing more once the signal is aborted.
 */
export async function* loadHistory(options: HistoryLoadOptions): AsyncGenerator<LoadEvent> {
  const { loads, clock } = options;
  const run = new Run(options);
  const progress = (): LoadEvent => ({ kind: 'line', line: progressLine(loads, run.paused(), clock) });
  for (const { held } of loads) {
    for (const part of held) yield { kind: 'part', part };
  }
  yield progress();
  for (;;) {
    const settled = await run.nextSettled();
    if (!settled) break;
    const part = await run.apply(settled);
    if (part) yield { kind: 'part', part };
    yield progress();
  }
  yield { kind: 'line', line: endLine(loads) };
}

class Run {
  readonly #options: HistoryLoadOptions;
  readonly #retries = new RetryPolicy();
  readonly #inFlight = new Set<Promise<Settled>>();
  readonly #again: Asked[] = [];
  #requests = 0;
  /** Requests under way, as far as was known when they began. */
  #asking = 0;

  constructor(options: HistoryLoadOptions) {
    this.#options = options;
  }

  /** What is done next; `undefined` when everything is. */
  async nextSettled(): Promise<Settled | undefined> {
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
      await sleep(msBetween(now(), paused.until), signal);
    }
  }

  /** Why nothing is asked at this moment: what one layer has to wait for the others wait for too. */
  paused(): TimedCooldown | undefined {
    const { reader, now } = this.#options;
    const at = now();
    const reservedUntil = this.#retries.reservedUntil(at);
    if (reservedUntil !== undefined) return { kind: 'timed', reason: 'allowance_used_up', until: reservedUntil };
    for (const layer of new Set(this.#open().map(({ box }) => box.layer))) {
      const cooldown = reader.cooldown(layer);
      if (cooldown?.kind === 'timed' && this.#retries.isWorthWaiting(cooldown, at)) return cooldown;
    }
    return undefined;
  }

  /** @returns the part where it is to be given on */
  async apply({ load, part, mayCost, outcome }: Settled): Promise<HistoryPart | undefined> {
    if (mayCost) this.#asking--;
    this.#requests += outcome.requests;
    load.requests += outcome.requests;
    if (outcome.kind === 'part') {
      this.#retries.cameThrough();
      return (await load.answered(part, outcome.part, outcome.requests === 0)) ? outcome.part : undefined;
    }
    this.#meet({ load, part }, outcome.cooldown, outcome.requests > 0);
    return undefined;
  }

  get #requestsLeft(): number {
    return this.#options.maxRequests - this.#requests - this.#asking;
  }

  /** Boxes of which something is still to be asked. */
  #open(): readonly BoxLoad[] {
    return this.#options.loads.filter(
      (load) => load.isToBeAsked || this.#again.some((waiting) => waiting.load === load),
    );
  }

  #fill(): void {
    for (const { load, part } of this.#again.splice(0)) {
      if (this.#requestsLeft > 0) this.#read(load, part);
      else load.stop('not_asked');
    }
    for (const load of this.#options.loads) {
      while (this.#inFlight.size < PARTS_AT_ONCE) {
        const part = load.next();
        if (!part) break;
        // What is cached costs nothing, and is given on whatever was spent.
        if (this.#requestsLeft > 0 || this.#options.reader.isCached(load.box.layer, part)) this.#read(load, part);
        else load.stop('not_asked');
      }
    }
  }

  #read(load: BoxLoad, part: Part): void {
    const { reader, signal } = this.#options;
    const mayCost = !reader.isCached(load.box.layer, part);
    if (mayCost) this.#asking++;
    const promise: Promise<Settled> = reader
      .read(load.box.layer, part, signal)
      .then((outcome) => ({ load, part, mayCost, outcome, promise }));
    this.#inFlight.add(promise);
    // Of several that fail together one is heard; the others are given up with it.
    promise.catch(() => undefined);
  }

  #meet({ load, part }: Asked, cooldown: Cooldown, wasAsked: boolean): void {
    const { reason } = cooldown;
    const key = partKey(load.box.layer, part);
    const now = this.#options.now();
    switch (this.#retries.judge({ cooldown, key, wasAsked, requests: this.#requests, now })) {
      case 'give-up':
        load.failed(part, reason);
        load.stop(reason);
        return;
      case 'again':
        this.#again.push({ load, part });
        return;
      case 'failed': {
        const halves = FAILURES[reason].load === 'retry-halved' ? this.#halved(load, part, key) : [];
        this.#again.push(...halves.map((half) => ({ load, part: half })));
        if (halves.length > 0) return;
        load.failed(part, reason);
        if (load.failedInARow >= MAX_FAILED_IN_A_ROW) load.stop(reason);
      }
    }
  }

  /** Smaller windows for a part that stays busy, or that another one was helped with. */
  #halved(load: BoxLoad, part: Part, key: string): readonly Part[] {
    const isTried = this.#retries.isPersistent(key) || load.halvingHelped;
    return isTried && this.#requestsLeft >= 2 ? load.halve(part) : [];
  }
}
