import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import type { Seat } from '../database/seat.ts';
import { SeatLost } from '../database/tables/require-seat.ts';
import type { AreaEvent, AreaReads } from '../live/area-reads.ts';
import type { PlannedAreas } from '../live/planned-areas.ts';
import type { Snapshots } from '../live/snapshots.ts';
import type { AlarmStore, Decided } from './alarm-store.ts';
import type { CurrentZones } from './current-zones.ts';
import type { UnwatchedReason } from './watch-notes.ts';
import { unwatchedReason, whyUnread } from './why-unread.ts';
import { type Heard, ZoneEvaluator } from './zone-evaluator.ts';

const PASSES_EVERY_MS = 5 * SECOND_MS;
/** Pause before the next try where the database did not answer. */
const RETRIED_MS = SECOND_MS;
/** Events that wait for a database: the oldest are dropped then, and their time counts as not watched. */
const WAITING_MAX = 1000;

export interface ZoneWatchOptions {
  readonly store: AlarmStore;
  readonly seat: Seat;
  readonly reads: AreaReads;
  readonly snapshots: Pick<Snapshots, 'of'>;
  readonly planned: Pick<PlannedAreas, 'jobsOver'>;
  readonly current: Pick<CurrentZones, 'all' | 'fetch' | 'onChange'>;
  /** The upstream's clock. */
  readonly now: () => UpstreamInstant;
  /** Why nothing was read before this server had the seat. */
  readonly whyAway: UnwatchedReason;
  readonly log: Pick<Logger, 'error'>;
  /** Called after alarms were written. */
  readonly onAlarms: () => void;
}

/**
 * Evaluates all zones on the writer: everything that it reads, in order, each batch in one transaction with the state that it led to. Where a
 * transaction fails, it starts from the stored state and evaluates the same events again.
 */
export class ZoneWatch {
  readonly #options: ZoneWatchOptions;
  readonly #ends: (() => void)[];
  readonly #timer: NodeJS.Timeout;
  #waiting: Heard[] = [];
  #fence: number | undefined;
  #evaluator: ZoneEvaluator | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: ZoneWatchOptions) {
    this.#options = options;
    const { seat, reads, current } = options;
    this.#ends = [
      seat.onChange(() => this.#takeSeat()),
      reads.subscribe((event) => this.#read(event)),
      current.onChange(() => this.pass()),
    ];
    this.#timer = setInterval(() => this.pass(), PASSES_EVERY_MS).unref();
    this.#takeSeat();
  }

  /** Takes note of the time: of zones that are not read, and of zones that have changed. */
  pass(): void {
    const { now, planned } = this.#options;
    this.#hear({ kind: 'passed', now: now(), whyUnread: whyUnread(planned) });
  }

  /** Evaluates what history had of a stretch that was not watched. */
  hearGap(event: Omit<Extract<Heard, { kind: 'gap' }>, 'known'>): void {
    this.#hear({ ...event, known: [] });
  }

  /** Resolves when everything that was heard is written, or cannot be. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end();
    clearInterval(this.#timer);
    if (this.#fence !== undefined) this.pass();
    this.#isClosed = true;
    await this.idle();
  }

  #takeSeat(): void {
    const { fence } = this.#options.seat;
    if (fence === this.#fence) return;
    this.#fence = fence;
    this.#evaluator = undefined;
    this.#waiting = [];
    if (fence !== undefined) this.pass();
  }

  #read(event: AreaEvent): void {
    if (event.kind !== 'read') return;
    const { area, positions, readAt, isComplete } = event;
    const reason = isComplete ? undefined : this.#options.snapshots.of(area)?.incomplete;
    const incomplete = isComplete ? undefined : reason ? unwatchedReason(reason) : 'upstream';
    this.#hear({ kind: 'read', area, positions, readAt, incomplete });
  }

  #hear(event: Heard): void {
    if (this.#fence === undefined || this.#isClosed) return;
    this.#waiting.push(event);
    if (this.#waiting.length > WAITING_MAX) this.#waiting.shift();
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const fence = this.#fence;
      if (fence === undefined) return;
      const events = this.#takeBatch();
      try {
        await this.#evaluate(events, fence);
      } catch (error) {
        this.#evaluator = undefined;
        if (error instanceof SeatLost || this.#isClosed) return;
        if (!(error instanceof DatabaseFailure)) {
          // A defect of an event must not stop the watch: its time counts as not watched.
          this.#options.log.error({ err: error }, 'what was read could not be evaluated for the zones');
          continue;
        }
        if (fence === this.#fence) this.#waiting = [...events, ...this.#waiting].slice(-WAITING_MAX);
        await delay(RETRIED_MS, undefined, { ref: false });
      }
    }
  }

  /** What was heard up to the next gap, or that alone: it needs all alarms before it. */
  #takeBatch(): Heard[] {
    const gap = this.#waiting.findIndex(({ kind }) => kind === 'gap');
    return this.#waiting.splice(0, gap === 0 ? 1 : gap < 0 ? this.#waiting.length : gap);
  }

  /** The writer before may have evaluated with newer zones than this server knew. */
  async #load(): Promise<ZoneEvaluator> {
    const { store, current, whyAway } = this.#options;
    await current.fetch();
    return new ZoneEvaluator(await store.load(), current.all, whyAway);
  }

  async #evaluate(events: readonly Heard[], fence: number): Promise<void> {
    const { store, current, now, onAlarms } = this.#options;
    this.#evaluator ??= await this.#load();
    const heard = await Promise.all(
      events.map(async (event) => (event.kind === 'gap' ? { ...event, known: await store.known(event.gap) } : event)),
    );
    const found = this.#evaluator.hear(heard, current.all);
    const madeUp = events.flatMap((event) => (event.kind === 'gap' ? event.madeUp : []));
    const decided: Decided = { ...found, madeUp, at: now() };
    if (isEmpty(decided)) return;
    await store.commit(decided, fence);
    if (found.transitions.length > 0) onAlarms();
  }
}

function isEmpty({ rows, transitions, stretches, madeUp }: Decided): boolean {
  return rows.length + transitions.length + stretches.length + madeUp.length === 0;
}
