import type { CompactHead } from '#lib/api/compact-answer.ts';
import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import { allowanceFloor, RESERVE } from '#lib/server/allowance/shares.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Scenario, Span } from './scenario.ts';
import type { UpstreamInProcess } from './upstream-in-process.ts';
import type { VirtualTime } from './virtual-time.ts';
import type { Page } from './watching.ts';

/** The longest back-off, a time-out, and a demanded pause. */
const RECOVERY_MS = 180 * SECOND_MS;
const BEGIN_MS = 30 * SECOND_MS;
/** Answers are late, and intervals end at the next poll. */
const SWEEP_MIN_MS = 10 * SECOND_MS;

export interface LongestUnread {
  /** A sweep reads all watched places once with the rest of the day. Before midnight, it may take a few seconds. */
  readonly sweeps: number;
  readonly ms: number;
  readonly atMs: number;
  readonly operator: string;
}

interface Unread {
  readonly fromMs: number;
  readonly answeredMs: number;
  readonly sweeps: number;
}

/** While there was allowance left, as viewers saw it. */
export class UnreadTime {
  readonly #time: VirtualTime;
  readonly #scenario: Scenario;
  readonly #upstream: UpstreamInProcess;
  readonly #pages: () => Iterable<Page>;
  /** No engine could read then. Ordered by start. */
  readonly #closed: Span[];
  #watched = { atMs: 0, requests: 0 };
  /** An area stays read, even if the next writer has no picture of it. */
  readonly #unread = new WeakMap<Page, Partial<Record<Layer, Unread>>>();
  longest: LongestUnread = { sweeps: 0, ms: 0, atMs: 0, operator: '' };
  /** `usedUp`: with less left of the day than one read of all places. */
  readonly watchedMs = { all: 0, usedUp: 0 };
  #answeredAtMs = 0;

  constructor(time: VirtualTime, scenario: Scenario, upstream: UpstreamInProcess, pages: () => Iterable<Page>) {
    this.#time = time;
    this.#scenario = scenario;
    this.#upstream = upstream;
    this.#pages = pages;
    this.#closed = scenario.troubles.flatMap((trouble) =>
      trouble.kind === 'kill' ? [] : [{ startMs: trouble.startMs, endMs: trouble.endMs + RECOVERY_MS }],
    );
  }

  killed(upAtMs: number): void {
    this.#closed.push({ startMs: this.#time.nowMs, endMs: upAtMs + BEGIN_MS });
  }

  isOpen(startMs: number, endMs: number): boolean {
    return this.#openMs(startMs, endMs) === endMs - startMs;
  }

  answered(page: Page, { as_of, layers }: CompactHead): void {
    const { nowMs } = this.#time;
    const { perDay, perMinute } = this.#scenario;
    const requests = this.#requestsOfASweep();
    const left = this.#upstream.knownLeftOfDay - allowanceFloor('day', perDay, 'scheduled');
    // Polls are at most 15 s apart.
    const sinceMs = Math.min(15 * SECOND_MS, nowMs - this.#answeredAtMs);
    this.#answeredAtMs = nowMs;
    this.watchedMs.all += sinceMs;
    if (left < requests) {
      this.watchedMs.usedUp += sinceMs;
      this.#usedUp();
      return;
    }
    const perMs = Math.min(left / (DAY_MS - (nowMs % DAY_MS)), ((1 - RESERVE.minute) * perMinute) / MINUTE_MS);
    const sweepMs = Math.max(SWEEP_MIN_MS, requests / perMs);
    for (const layer of page.layers) {
      const shown = layers[layer];
      // Places beyond an operator's share wait, and the page says so.
      if (!shown || shown.reason === 'waits_its_turn') continue;
      const readMs = shown.fetched_at === null ? 0 : nowMs - (Date.parse(as_of) - Date.parse(shown.fetched_at));
      const before = this.#unread.get(page)?.[layer];
      const fromMs = Math.max(page.sinceMs, readMs, before?.fromMs ?? 0);
      const known = before?.fromMs === fromMs ? before : { answeredMs: fromMs, sweeps: 0 };
      const sweeps = known.sweeps + this.#openMs(known.answeredMs, nowMs) / sweepMs;
      this.#unread.set(page, { ...this.#unread.get(page), [layer]: { fromMs, answeredMs: nowMs, sweeps } });
      if (sweeps <= this.longest.sweeps) continue;
      this.longest = { sweeps, ms: this.#openMs(fromMs, nowMs), atMs: nowMs, operator: page.operator };
    }
  }

  #usedUp(): void {
    const { nowMs } = this.#time;
    const last = this.#closed.at(-1);
    const endMs = nowMs + BEGIN_MS;
    if (last && last.startMs <= nowMs && nowMs <= last.endMs)
      this.#closed[this.#closed.length - 1] = { ...last, endMs };
    else this.#closed.push({ startMs: nowMs, endMs });
  }

  #openMs(fromMs: number, untilMs: number): number {
    let openMs = untilMs - fromMs;
    let coveredTo = fromMs;
    for (const { startMs, endMs } of this.#closed.toSorted((a, b) => a.startMs - b.startMs)) {
      const start = Math.max(coveredTo, startMs);
      const end = Math.min(untilMs, endMs);
      if (end > start) {
        openMs -= end - start;
        coveredTo = end;
      }
    }
    return openMs;
  }

  #requestsOfASweep(): number {
    const { nowMs } = this.#time;
    if (nowMs - this.#watched.atMs < SECOND_MS) return this.#watched.requests;
    const { pageRecords } = this.#scenario;
    const places = new Set([...this.#pages()].map(({ place }) => place));
    let requests = 0;
    for (const place of places)
      for (const layer of LAYERS) requests += Math.max(1, Math.ceil(place.tracks[layer] / pageRecords));
    this.#watched = { atMs: nowMs, requests };
    return requests;
  }
}
