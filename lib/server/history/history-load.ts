import 'server-only';
import type { EndLine, LayerEnd, LayerProgress, ProgressLine } from '#lib/api/history-line.ts';
import { FAILURES, type FailureReason } from '#lib/api/layer-reason.ts';
import { corners } from '#lib/geo/corners.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { addMs, formatInstant, type Instant } from '#lib/time/instant.ts';
import type { Block } from '../upstream/standing.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import type { BoxLoad } from './box-load.ts';
import { type HistoryPart, partKey } from './history-part.ts';
import { minuteLetters } from './minute-letters.ts';
import type { PartOutcome, PartReader } from './part-reader.ts';
import { RetryBudget } from './retry-budget.ts';
import type { Part } from './split/part.ts';

/** Of one load at a time: live refreshes share the four that the client allows. */
const PARTS_AT_ONCE = 2;
/** A service that is down is not asked for each part of a load. */
const FAILED_IN_A_ROW_MOST = 3;
/** A hold that lasts longer is not waited for. */
export const HOLD_PATIENCE_MS = 150_000;
/** Requests under way take about as long. */
const LENT_WAIT_MS = 500;

export type LoadEvent =
  | { readonly kind: 'part'; readonly part: HistoryPart }
  | { readonly kind: 'line'; readonly line: ProgressLine | EndLine };

export interface HistoryLoadOptions {
  readonly loads: readonly BoxLoad[];
  readonly reader: PartReader;
  readonly clock: UpstreamClock;
  /** Requests to the upstream at most. */
  readonly most: number;
  readonly signal: AbortSignal;
  /** Our own clock. */
  readonly now: () => Instant;
  /** Rejects where the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface Settled {
  readonly load: BoxLoad;
  readonly part: Part;
  /** Whether it may have cost a request, as far as was known when it began. */
  readonly mayCost: boolean;
  readonly outcome: PartOutcome;
  readonly promise: Promise<Settled>;
}

/**
 * Loads everything and tells it as it comes: parts, how far it is, and at the end what is missing. Nothing is asked while
 * nobody takes what was told, and nothing more once the signal is aborted.
 */
export async function* loadHistory(options: HistoryLoadOptions): AsyncGenerator<LoadEvent> {
  const run = new Run(options);
  for (const { held } of options.loads) {
    for (const part of held) yield { kind: 'part', part };
  }
  yield { kind: 'line', line: run.progress() };
  for (;;) {
    const settled = await run.nextSettled();
    if (!settled) break;
    const part = await run.take(settled);
    if (part) yield { kind: 'part', part };
    yield { kind: 'line', line: run.progress() };
  }
  yield { kind: 'line', line: run.end() };
}

class Run {
  readonly #options: HistoryLoadOptions;
  readonly #inFlight = new Set<Promise<Settled>>();
  readonly #again: { readonly load: BoxLoad; readonly part: Part }[] = [];
  readonly #retries = new RetryBudget();
  #requests = 0;
  #lentSince: Instant | undefined;
  #asking = 0;
  #held: { readonly reason: FailureReason; readonly until: Instant } | undefined;

  constructor(options: HistoryLoadOptions) {
    this.#options = options;
  }

  /** What is done next; `undefined` when everything is. */
  async nextSettled(): Promise<Settled | undefined> {
    const { now, sleep, signal } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      if (this.#held && now() >= this.#held.until) this.#held = undefined;
      if (!this.#held) this.#fill();
      if (this.#inFlight.size > 0) {
        const settled = await Promise.race(this.#inFlight);
        this.#inFlight.delete(settled.promise);
        return settled;
      }
      const isMore = this.#again.length > 0 || this.#options.loads.some((load) => load.isToBeAsked);
      if (!this.#held || !isMore) return undefined;
      await sleep(this.#held.until - now(), signal);
    }
  }

  /** @returns the part where it is to be given on */
  async take({ load, part, mayCost, outcome }: Settled): Promise<HistoryPart | undefined> {
    if (mayCost) this.#asking--;
    this.#requests += outcome.requests;
    load.requests += outcome.requests;
    if (outcome.kind === 'part') {
      this.#lentSince = undefined;
      return (await load.answered(part, outcome.part, outcome.requests === 0)) ? outcome.part : undefined;
    }
    this.#meet(load, part, outcome.block, outcome.requests > 0);
    return undefined;
  }

  progress(): ProgressLine {
    const held = this.#held && {
      reason: this.#held.reason,
      until: formatInstant(this.#options.clock.fromLocal(this.#held.until)),
    };
    return { type: 'progress', layers: this.#byLayer(layerProgress), held: held ?? null };
  }

  end(): EndLine {
    return { type: 'end', layers: this.#byLayer(layerEnd) };
  }

  get #requestsLeft(): number {
    return this.#options.most - this.#requests - this.#asking;
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
        // What is held costs nothing, and is given on whatever was spent.
        if (this.#requestsLeft > 0 || this.#options.reader.isHeld(load.box.layer, part)) this.#read(load, part);
        else load.stop('not_asked');
      }
    }
  }

  #read(load: BoxLoad, part: Part): void {
    const { reader, signal } = this.#options;
    const mayCost = !reader.isHeld(load.box.layer, part);
    if (mayCost) this.#asking++;
    const promise: Promise<Settled> = reader
      .read(load.box.layer, part, signal)
      .then((outcome) => ({ load, part, mayCost, outcome, promise }));
    this.#inFlight.add(promise);
    // Of several that fail together one is heard; the others are given up with it.
    promise.catch(() => undefined);
  }

  #meet(load: BoxLoad, part: Part, { reason, until }: Block, wasAsked: boolean): void {
    const { now } = this.#options;
    const isHeldBack = !wasAsked && until !== undefined && until > now();
    const { load: reaction } = FAILURES[reason];
    switch (reaction) {
      case 'give-up':
        load.failed(part, reason);
        load.stop(reason);
        return;
      case 'pause':
        if (until === undefined ? this.#isLentTooLong() : until - now() > HOLD_PATIENCE_MS) {
          load.failed(part, reason);
          load.stop(reason);
          return;
        }
        this.#again.push({ load, part });
        if (until === undefined) this.#held = { reason, until: addMs(now(), LENT_WAIT_MS) };
        break;
      case 'retry':
      case 'retry-halved':
        // Held back for what another part met, it has not failed itself.
        if (!isHeldBack && !this.#retries.take(partKey(load.box.layer, part), this.#requests)) {
          const halves = reaction === 'retry-halved' ? this.#halved(load, part) : [];
          if (halves.length === 0) this.#fail(load, part, reason);
          this.#again.push(...halves);
          break;
        }
        this.#again.push({ load, part });
    }
    // Whatever is asked before that would be refused without being asked.
    if (until !== undefined && until > now()) this.#held = { reason, until };
  }

  /** What is left is lent to requests that are under way, ours or others', and it is known only then what comes back. */
  #isLentTooLong(): boolean {
    const now = this.#options.now();
    this.#lentSince ??= now;
    return now - this.#lentSince > HOLD_PATIENCE_MS;
  }

  #fail(load: BoxLoad, part: Part, reason: FailureReason): void {
    load.failed(part, reason);
    if (load.failedInARow >= FAILED_IN_A_ROW_MOST) load.stop(reason);
  }

  /** Smaller windows for a part that stays busy, or that another one was helped with. */
  #halved(load: BoxLoad, part: Part): readonly { readonly load: BoxLoad; readonly part: Part }[] {
    const isTried = this.#retries.isPersistent(partKey(load.box.layer, part)) || load.halvingHelped;
    const halves = isTried && this.#requestsLeft >= 2 ? load.halve(part) : [];
    return halves.map((half) => ({ load, part: half }));
  }

  #byLayer<T>(of: (loads: readonly BoxLoad[]) => T): Partial<Record<Layer, T>> {
    const told: Partial<Record<Layer, T>> = {};
    for (const layer of LAYERS) {
      const loads = this.#options.loads.filter(({ box }) => box.layer === layer);
      if (loads.length > 0) told[layer] = of(loads);
    }
    return told;
  }
}

function layerProgress(loads: readonly BoxLoad[]): LayerProgress {
  const parts = loads.flatMap((load) => load.parts());
  return {
    parts_done: parts.filter(({ status }) => status === 'complete' || status === 'incomplete').length,
    parts_known: parts.length,
    requests_made: sum(loads, ({ requests }) => requests),
    requests_expected: sum(loads, (load) => load.requestsExpected()),
    minutes: loads[0] ? minuteLetters(loads[0].box.window, parts) : '',
  };
}

function layerEnd(loads: readonly BoxLoad[]): LayerEnd {
  const gaps = loads.flatMap((load) => load.gaps());
  return {
    complete: gaps.length === 0,
    gaps: gaps.map(({ bbox, window, reason }) => ({
      bbox: corners(bbox),
      start: formatInstant(window.start),
      end: formatInstant(window.end),
      reason,
    })),
    records: sum(loads, ({ records }) => records),
    requests: sum(loads, ({ requests }) => requests),
  };
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
