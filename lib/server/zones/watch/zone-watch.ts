import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LiveReason } from '#lib/api/layer-reason.ts';
import { Coalesced } from '#lib/async/coalesced.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { WATCHED_MAX_MS } from '#lib/zones/stretches/watched-reception.ts';
import { DatabaseFailure } from '../../database/database-failure.ts';
import { LeaseLost, type WriterLease } from '../../database/writer-lease.ts';
import type { AreaEvent, AreaReads } from '../../live/area-reads.ts';
import type { PlannedAreas } from '../../live/planned-areas.ts';
import type { Snapshots } from '../../live/snapshots.ts';
import type { Part } from '../../supervision/supervisor.ts';
import type { AlarmStore, Decided } from '../alarms/alarm-store.ts';
import type { CurrentZones } from '../current-zones.ts';
import { FLIGHT_DECIDED_AFTER_MS } from '../permit-rows.ts';
import type { UnwatchedReason, WhyUnread } from './watch-notes.ts';
import { type WatchEvent, ZoneEvaluator } from './zone-evaluator.ts';

const PASSES_EVERY_MS = 5 * SECOND_MS;
/** The wait after the database failed. */
const RETRIED_MS = SECOND_MS;
/** This much waits while the database fails. Beyond, the oldest events are dropped and count as not watched. */
const WAITING_MAX = { events: 1000, positions: 300_000 } as const;

export interface ZoneWatchOptions {
  readonly store: AlarmStore;
  readonly lease: WriterLease;
  readonly reads: AreaReads;
  readonly snapshots: Pick<Snapshots, 'of'>;
  readonly planned: Pick<PlannedAreas, 'jobsOver'>;
  readonly current: Pick<CurrentZones, 'all' | 'fetch' | 'onChange'>;
  /** The upstream's clock. */
  readonly now: () => UpstreamInstant;
  /** Why nothing was watched before this server had the lease. */
  readonly whyAway: UnwatchedReason;
  readonly part: Part;
  readonly log: Pick<Logger, 'error'>;
  readonly onAlarms: () => void;
}

/**
 * Evaluates on the writer what is read and what passes, in batches. A batch and its new state are one transaction; if
 * it fails, the batch repeats from the stored state. A defect of one batch never stops the watch.
 */
export class ZoneWatch {
  readonly #options: ZoneWatchOptions;
  readonly #ends: (() => void)[];
  readonly #timer: NodeJS.Timeout;
  #waiting: WatchEvent[] = [];
  #fence: number | undefined;
  /** The evaluator holds for one lease: another server may write after it. */
  #loaded: { readonly evaluator: ZoneEvaluator; readonly fence: number } | undefined;
  readonly #runs = new Coalesced(() => this.#run());
  #isClosed = false;
  #evaluatedAt: UpstreamInstant | undefined;
  /** Unwatched time before is noted by then. */
  #decidesFlightsFrom: UpstreamInstant | undefined;

  constructor(options: ZoneWatchOptions) {
    this.#options = options;
    const { lease, reads, current } = options;
    this.#ends = [
      lease.onChange(() => this.#takeLease()),
      reads.subscribe((event) => this.#read(event)),
      current.onChange(() => this.pass()),
    ];
    this.#timer = setInterval(() => this.pass(), PASSES_EVERY_MS).unref();
    this.#takeLease();
  }

  /** When the last batch was evaluated and written. */
  get evaluatedAt(): UpstreamInstant | undefined {
    return this.#fence === undefined ? undefined : this.#evaluatedAt;
  }

  pass(): void {
    const { now, planned } = this.#options;
    this.#take({ kind: 'passed', now: now(), whyUnread: whyUnread(planned) });
  }

  takeGap(event: Omit<Extract<WatchEvent, { kind: 'gap' }>, 'known'>): void {
    this.#take({ ...event, known: [] });
  }

  idle(): Promise<void> {
    return this.#runs.idle();
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end();
    clearInterval(this.#timer);
    if (this.#fence !== undefined) this.pass();
    this.#isClosed = true;
    await this.idle();
  }

  #takeLease(): void {
    const { fence } = this.#options.lease;
    if (fence === this.#fence) return;
    this.#fence = fence;
    this.#waiting = [];
    this.#decidesFlightsFrom = addMs(this.#options.now(), FLIGHT_DECIDED_AFTER_MS);
    if (fence === undefined) this.#options.part.rest();
    else this.pass();
  }

  #read(event: AreaEvent): void {
    if (event.kind !== 'read') return;
    const { area, positions, readAt, isComplete, reception } = event;
    const reason = isComplete ? undefined : this.#options.snapshots.of(area)?.incomplete;
    const incomplete = isComplete ? undefined : reason ? unwatchedReason(reason) : 'upstream';
    this.#take({ kind: 'read', area, positions, readAt, incomplete, reception });
  }

  #take(event: WatchEvent): void {
    if (this.#fence === undefined || this.#isClosed) return;
    this.#waiting = bounded([...this.#waiting, event]);
    // It never rejects: the part reports a failure.
    void this.#runs.run();
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const fence = this.#fence;
      if (fence === undefined) return;
      const events = this.#takeBatch();
      try {
        await this.#evaluate(events, fence);
        this.#evaluatedAt = this.#options.now();
        this.#options.part.worked();
      } catch (error) {
        this.#loaded = undefined;
        if (this.#isClosed) return;
        if (error instanceof LeaseLost) {
          // The lease may not know yet.
          if (fence === this.#fence) this.#waiting = [];
          continue;
        }
        this.#options.part.failed(error);
        // One defect must not stop the watch.
        if (!(error instanceof DatabaseFailure)) continue;
        if (fence === this.#fence) this.#waiting = bounded([...events, ...this.#waiting]);
        await delay(RETRIED_MS, undefined, { ref: false });
      }
    }
  }

  /** A gap comes alone: it needs the alarms before it. */
  #takeBatch(): WatchEvent[] {
    const gap = this.#waiting.findIndex(({ kind }) => kind === 'gap');
    return this.#waiting.splice(0, gap === 0 ? 1 : gap < 0 ? this.#waiting.length : gap);
  }

  /** The previous writer may have evaluated newer zones. */
  async #evaluatorOf(fence: number): Promise<ZoneEvaluator> {
    if (this.#loaded?.fence === fence) return this.#loaded.evaluator;
    const { store, current, whyAway, part } = this.#options;
    await current.fetch();
    const reason = part.failure ? 'watch_failed' : whyAway;
    const evaluator = new ZoneEvaluator(await store.load(), current.all, reason);
    this.#loaded = { evaluator, fence };
    return evaluator;
  }

  async #evaluate(events: readonly WatchEvent[], fence: number): Promise<void> {
    const { store, current, now, onAlarms, log } = this.#options;
    const evaluator = await this.#evaluatorOf(fence);
    const known = await Promise.all(
      events.map(async (event) => (event.kind === 'gap' ? { ...event, known: await store.known(event.gap) } : event)),
    );
    const { failures, ...found } = await evaluator.take(known, current.all);
    for (const { error, ...rule } of failures)
      log.error({ err: error, ...rule }, 'a rule failed and is set aside until its zone changes');
    const madeUp = events.flatMap((event) => (event.kind === 'gap' ? event.madeUp : []));
    const decided: Decided = { ...found, madeUp, at: now() };
    if (!isEmpty(decided)) await store.commit(decided, fence);
    const decidesFlights = now() >= (this.#decidesFlightsFrom ?? now()) && events.some(({ kind }) => kind === 'passed');
    const hasAlarms = decidesFlights && (await store.decideFlights(now(), fence));
    if (found.transitions.length > 0 || hasAlarms) onAlarms();
  }
}

function bounded(events: WatchEvent[]): WatchEvent[] {
  let positions = 0;
  const first = events.findLastIndex((event, index) => {
    positions += event.kind === 'read' ? event.positions.size : 0;
    return positions > WAITING_MAX.positions || events.length - index > WAITING_MAX.events;
  });
  // The newest event stays, even if it is larger.
  return events.slice(Math.min(first + 1, events.length - 1));
}

function isEmpty({ rows, transitions, received = [], stretches, madeUp }: Decided): boolean {
  return rows.length + transitions.length + received.length + stretches.length + madeUp.length === 0;
}

/** The reason comes from the plan of the areas over a box. */
function whyUnread(planned: Pick<PlannedAreas, 'jobsOver'>): WhyUnread {
  return (layer, box) => {
    const over = planned.jobsOver(layer, box);
    const failure = over.find((job) => job.failure)?.failure;
    if (failure) return unwatchedReason(failure.cooldown.reason);
    return over.some(({ intervalMs }) => intervalMs > WATCHED_MAX_MS) ? 'allowance' : undefined;
  };
}

function unwatchedReason(reason: LiveReason): UnwatchedReason {
  switch (reason) {
    case 'allowance_used_up':
    case 'share_used_up':
    case 'waits_its_turn':
      return 'allowance';
    case 'no_writer':
      return 'no_writer';
    case 'storage_failed':
    case 'database_lost':
      return 'stopped';
    case 'pages_endless':
      return 'capped';
    default:
      return 'upstream';
  }
}
