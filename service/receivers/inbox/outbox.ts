import { addMs, epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Surroundings } from '../feeds/feed.ts';
import type { Delivery } from '../fix.ts';
import { type ClockState, FeedTimes } from '../fusion/feed-times.ts';
import type { FeedTraits } from '../fusion/fused-feed.ts';
import { LATE_MS } from '../fusion/fusion.ts';
import type { TimedFix } from '../fusion/gate.ts';
import { isRepetition } from '../fusion/shared-fix.ts';
import { makeSteadyStamps } from '../steady-stamps.ts';
import { writeBatch } from './fix-batch.ts';
import type { FixInbox } from './fix-inbox.ts';
import { OutgoingBatch } from './outgoing-batch.ts';

/** What became of fixes of a station that did not get to the inbox. */
export interface UnsentCounts {
  /** Too old to be recorded when they were received. */
  late: number;
  /** As in `FixCounts`. */
  undated: number;
  /** The inbox did not take them in time. */
  unsent: number;
}

interface OutboxOptions {
  readonly inbox: Pick<FixInbox, 'put'>;
  /** Of this service. */
  readonly service: string;
  readonly surroundings: Surroundings;
  /** How many may wait for the inbox; the oldest are dropped. Default 200,000. */
  readonly maxFixes?: number;
}

const SEND_EVERY_MS = 0.2 * SECOND_MS;
const AGAIN_MS = 0.5 * SECOND_MS;
const FIXES_MAX = 200_000;
/** What was last of a track is forgotten after this, or after twice as long; sooner, if a feed makes up tracks. */
const FORGOTTEN_AFTER_MS = MINUTE_MS;
const TRACKS_MAX = 100_000;

/** Sends what the feeds of this service hear to the inbox, several times a second. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #times = new FeedTimes();
  readonly #steady: ReturnType<typeof makeSteadyStamps>;
  readonly #counts = new Map<string, UnsentCounts>();
  /** The last fix of each track of each feed. */
  #last = new Map<string, TimedFix>();
  #lastBefore = new Map<string, TimedFix>();
  #turnedMs = Number.NEGATIVE_INFINITY;
  /** The oldest first; the last one still takes something. */
  #waiting: OutgoingBatch[] = [];
  #sending: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#steady = makeSteadyStamps(options.surroundings.calendar, () => this.#times.startAnew());
  }

  /** Adds what a feed sent. It returns at once and never throws. */
  add(feed: FeedTraits, delivery: Delivery, receivedAt: UpstreamInstant): void {
    const receivedMs = epochMs(receivedAt);
    this.#forget(receivedMs);
    const steady = this.#steady(delivery, receivedAt);
    const { fixes, undated, clock } = this.#times.time(feed.id, steady, receivedAt);
    const counts = this.#countsOf(feed.id);
    counts.undated += undated;
    for (const timed of fixes) {
      // A poll lists for a minute where an aircraft was last: that is no position which came late.
      if (this.#isRepeated(feed.id, timed)) continue;
      if (receivedMs - timed.observedMs > LATE_MS) counts.late += 1;
      else this.#openBatch().add(feed, clock, this.#dated(timed));
    }
    this.#dropWhatIsTooMuch();
    if (this.#waiting.length > 0) this.#planSending(SEND_EVERY_MS);
  }

  /** Resolves once all that was added before is in the inbox; false if some of that was dropped instead. */
  async sent(): Promise<boolean> {
    const outcomes = await Promise.all(this.#waiting.map(({ outcome }) => outcome));
    return outcomes.every(Boolean);
  }

  /** What is known of the clock of a feed that is read here. */
  clock(feedId: string): ClockState {
    return this.#times.clock(feedId);
  }

  /** Undefined of a feed that never sent anything. */
  counts(feedId: string): Readonly<UnsentCounts> | undefined {
    const counts = this.#counts.get(feedId);
    return counts && { ...counts };
  }

  /** Sends what waits, if the inbox takes it now. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    await this.#sending;
    await this.#send();
    for (const batch of this.#waiting) this.#drop(batch);
    this.#waiting = [];
  }

  #countsOf(feedId: string): UnsentCounts {
    let counts = this.#counts.get(feedId);
    if (counts === undefined) {
      counts = { late: 0, undated: 0, unsent: 0 };
      this.#counts.set(feedId, counts);
    }
    return counts;
  }

  /** A poll that came before the next position brings the last one again. */
  #isRepeated(feedId: string, timed: TimedFix): boolean {
    const name = `${feedId} ${timed.fix.layer} ${timed.fix.trackKey}`;
    const known = this.#last.get(name) ?? this.#lastBefore.get(name);
    const isRepeated = known !== undefined && isRepetition(known.fix, known.observedMs, timed.fix, timed.observedMs);
    this.#last.set(name, isRepeated ? known : timed);
    return isRepeated;
  }

  /** As the others read it, whose steady clocks are set otherwise. */
  #dated(timed: TimedFix): TimedFix {
    const { wallOf } = this.#options.surroundings.calendar;
    const dated = (steadyMs: number) => epochMs(wallOf(upstreamInstant(steadyMs)));
    const { trackTimeMs } = timed.fix;
    const fix = trackTimeMs === undefined ? timed.fix : { ...timed.fix, trackTimeMs: dated(trackTimeMs) };
    return { ...timed, fix, observedMs: dated(timed.observedMs) };
  }

  #forget(nowMs: number): void {
    if (Math.abs(nowMs - this.#turnedMs) < FORGOTTEN_AFTER_MS && this.#last.size < TRACKS_MAX) return;
    this.#turnedMs = nowMs;
    this.#lastBefore = this.#last;
    this.#last = new Map();
  }

  #openBatch(): OutgoingBatch {
    const now = this.#options.surroundings.now();
    const open = this.#waiting.at(-1);
    if (open?.takesMore(now)) return open;
    const batch = new OutgoingBatch(now);
    this.#waiting.push(batch);
    return batch;
  }

  #dropWhatIsTooMuch(): void {
    const { surroundings, maxFixes = FIXES_MAX } = this.#options;
    const tooOld = addMs(surroundings.now(), -LATE_MS);
    let fixes = this.#waiting.reduce((sum, { count }) => sum + count, 0);
    while (this.#waiting.length > 0 && (fixes > maxFixes || this.#waiting[0]!.since < tooOld)) {
      const oldest = this.#waiting.shift()!;
      fixes -= oldest.count;
      this.#drop(oldest);
    }
  }

  #drop(batch: OutgoingBatch): void {
    for (const [feedId, count] of batch.countOf) this.#countsOf(feedId).unsent += count;
    // A station may send it again, which must not be taken for a repetition of what was sent.
    this.#last = new Map();
    this.#lastBefore = new Map();
    batch.end(false);
  }

  #planSending(ms: number): void {
    if (this.#cancel !== undefined || this.#sending !== undefined || this.#isClosed) return;
    this.#cancel = this.#options.surroundings.after(ms, () => {
      this.#cancel = undefined;
      this.#sending = this.#send().then((isSent) => {
        this.#sending = undefined;
        if (this.#waiting.length > 0) this.#planSending(isSent ? SEND_EVERY_MS : AGAIN_MS);
      });
    });
  }

  /** Sends what waited when it began. @returns false if the inbox did not take it */
  async #send(): Promise<boolean> {
    this.#dropWhatIsTooMuch();
    const last = this.#waiting.at(-1);
    for (let batch = this.#waiting[0]; batch !== undefined; batch = this.#waiting[0]) {
      try {
        const bytes = await batch.bytes((stations) => writeBatch({ service: this.#options.service, stations }));
        await this.#options.inbox.put(bytes, batch.count);
      } catch {
        // That the database is lost is said by its connections.
        this.#dropWhatIsTooMuch();
        return false;
      }
      // It may have been dropped meanwhile.
      if (this.#waiting[0] === batch) this.#waiting.shift();
      batch.end(true);
      if (batch === last) break;
    }
    return true;
  }
}
