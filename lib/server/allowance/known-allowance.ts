import 'server-only';
import { nextMinute, nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { addMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { type Attempt, CLOCK_STEP_MS } from './ledger.ts';

/** The allowance as it is stored to survive a restart. The keys are those of the file. */
export interface SavedAllowance {
  /** Start of the window that the numbers certainly belong to. */
  readonly startsAt: UpstreamInstant;
  /** When the first answer arrived, by our clock. */
  readonly begunAt: UpstreamInstant;
  /** The lowest value of the window. */
  readonly reported: number;
  readonly reportedToSentAt: UpstreamInstant;
  readonly reportedAt: UpstreamInstant;
  /** `reported`, less our attempts that it may not include. */
  readonly remaining: number;
  readonly size: number;
  /** Whether the window was not seen from its start, so that its size may be larger. */
  readonly isSizePartial?: boolean | undefined;
  /** A probe before this finds out nothing. */
  readonly recheckAt: UpstreamInstant;
  /** For a used-up day: when one request may check it, and when the latest check was granted. */
  readonly check?: { readonly from: UpstreamInstant; readonly grantedAt?: UpstreamInstant | undefined } | undefined;
  /** Requests that may have counted in a later window, without reporting its number. */
  readonly unconfirmed: { readonly lastAt: UpstreamInstant; readonly requests: number };
}

/**
 * The windows reset at the next minute and at midnight UTC (contract, Quota rules, 4). Clocks differ: within
 * `edgeDoubtMs` of a reset, an answer may belong to the window before it.
 */
const CALENDAR = {
  minute: { lengthMs: MINUTE_MS, edgeDoubtMs: 1000, nextEdge: nextMinute },
  day: { lengthMs: DAY_MS, edgeDoubtMs: 10_000, nextEdge: nextUtcMidnight },
} as const;

/** A used-up day is checked: the header may be wrong, or the account was given more. */
const CHECK_EVERY_MS = HOUR_MS;

/** After this, the upstream's counter has certainly been reset. */
export const EDGE_MARGIN_MS = 1000;

/**
 * While we are the only consumer, `min` never exceeds what the upstream still grants once all sent requests have
 * arrived.
 */
export class KnownAllowance {
  readonly #calendar: (typeof CALENDAR)[keyof typeof CALENDAR];
  #known: SavedAllowance | undefined;

  constructor(window: keyof typeof CALENDAR, saved?: SavedAllowance) {
    this.#calendar = CALENDAR[window];
    this.#known = saved;
  }

  /** `undefined` where nothing was reported in the window of `now`. */
  remaining(now: UpstreamInstant): number | undefined {
    const known = this.#known;
    return known && (this.isCurrent(now) || this.#edgeBefore(known.reportedToSentAt) === this.#edgeBefore(now))
      ? known.remaining
      : undefined;
  }

  /** A lower bound: the next window has at least what the ended one had left. 0 where nothing is known. */
  get min(): number {
    return this.#known?.remaining ?? 0;
  }

  get size(): number | undefined {
    return this.#known?.size;
  }

  /** When a probe can find out the next window's size. */
  probesFrom(now: UpstreamInstant): UpstreamInstant {
    if (!this.#known) return now;
    if (!this.#hasOneMore(0, now)) return this.#nextGuess(now);
    const reset = addMs(this.#edgeBefore(now), EDGE_MARGIN_MS);
    return this.#known.recheckAt > reset ? this.#known.recheckAt : reset;
  }

  isCurrent(now: UpstreamInstant): boolean {
    return this.#known?.startsAt === this.#edgeBefore(now);
  }

  resetsAt(now: UpstreamInstant): UpstreamInstant {
    return this.#calendar.nextEdge(now);
  }

  checksFrom(now: UpstreamInstant): UpstreamInstant {
    if (!this.#known) return now;
    return this.#known.check?.from ?? addMs(this.#known.reportedAt, CHECK_EVERY_MS);
  }

  endsOrIsChecked(now: UpstreamInstant): UpstreamInstant {
    const [ends, checksFrom] = [addMs(this.resetsAt(now), EDGE_MARGIN_MS), this.checksFrom(now)];
    return checksFrom < ends ? checksFrom : ends;
  }

  checkGranted(now: UpstreamInstant): void {
    if (this.#known) this.#known = { ...this.#known, check: { from: addMs(now, CHECK_EVERY_MS), grantedAt: now } };
  }

  checkNow(now: UpstreamInstant): void {
    if (this.#known) this.#known = { ...this.#known, check: { ...this.#known.check, from: now } };
  }

  /**
   * Whether one request may be sent: one is left beyond the reserved ones, or none is reserved, the day's size is
   * unknown, and the interval between guesses has passed.
   */
  mayProbe(reserved: number, now: UpstreamInstant): boolean {
    if (this.#hasOneMore(reserved, now)) return true;
    return reserved === 0 && this.#isDayUnseen(now) && now >= this.#nextGuess(now);
  }

  /** Requests, made or possibly made, without a reported number until `at`. */
  spend(requests: number, at: UpstreamInstant): void {
    if (!this.#known) return;
    this.#known = { ...this.#known, remaining: Math.max(0, this.#known.remaining - requests) };
    this.mayHaveSpent(requests, at);
  }

  mayHaveSpent(requests: number, at: UpstreamInstant): void {
    // A time just before a reset by our clock can be after it by the upstream's.
    if (!this.#known || this.#edgeBefore(addMs(at, EDGE_MARGIN_MS)) <= this.#known.startsAt) return;
    const { lastAt } = this.#known.unconfirmed;
    const unconfirmed = { lastAt: at > lastAt ? at : lastAt, requests: this.#unconfirmed(at) + requests };
    this.#known = { ...this.#known, unconfirmed };
  }

  /**
   * @param reported `undefined` where the answer has no number
   * @param overlapping counted attempts of ours that completed while this one was in flight
   */
  settle(reported: number | undefined, attempt: Attempt, overlapping: number): void {
    const cost = attempt.counted ? 1 : 0;
    if (reported === undefined) {
      this.spend(cost, attempt.receivedAt);
      return;
    }
    if (!this.#known || this.#startsWindow(this.#known, reported, attempt)) this.#begin(reported, attempt, overlapping);
    else if (isCheck(this.#known, attempt)) this.#correct(this.#known, reported, attempt, overlapping);
    else this.#proceed(this.#known, reported, attempt, cost);
  }

  /** The next number begins a window, see `#startsWindow`. */
  setBack(now: UpstreamInstant, aheadMs: number): void {
    const known = this.#known;
    if (!known) return;
    const { recheckAt, check, unconfirmed } = known;
    const moved = (at: UpstreamInstant) => (at <= now ? at : addMs(at, -aheadMs));
    this.#known = {
      ...known,
      recheckAt: moved(recheckAt),
      check: check && { from: moved(check.from), grantedAt: check.grantedAt && moved(check.grantedAt) },
      unconfirmed: unconfirmed.lastAt <= now ? unconfirmed : { ...unconfirmed, lastAt: now },
    };
  }

  saved(): SavedAllowance | undefined {
    return this.#known;
  }

  /** Within a window the number only falls: a higher one belongs to a new window. */
  #startsWindow(known: SavedAllowance, reported: number, { counted, sentAt, receivedAt }: Attempt): boolean {
    // Our clock was ahead, and has been corrected.
    if (known.startsAt > this.#edgeBefore(receivedAt)) return true;
    const edge = this.#edgeBefore(sentAt);
    if (edge <= known.startsAt || sentAt < known.reportedAt) return false;
    if (reported !== known.reported) return reported > known.reported;
    // Uncounted refusals repeat small numbers: taken for a new day's allowance, one would stop all requests for a day.
    const isLargest = reported > 0 && 2 * reported >= known.size;
    return isLargest && counted && sentAt >= addMs(edge, this.#calendar.edgeDoubtMs);
  }

  #begin(reported: number, { counted, sentAt, receivedAt }: Attempt, overlapping: number): void {
    // Right after a reset, the first number may belong to the window before it.
    const certainAt = this.#known ? sentAt : addMs(sentAt, -this.#calendar.edgeDoubtMs);
    this.#known = {
      startsAt: this.#edgeBefore(certainAt),
      begunAt: receivedAt,
      reported,
      reportedToSentAt: sentAt,
      reportedAt: receivedAt,
      remaining: Math.max(0, reported - overlapping),
      // The size is at most halved: other consumers may be quicker once, and a real reduction shows within a few
      // windows.
      size: Math.max(reported, Math.ceil((this.#known?.size ?? 0) / 2)),
      isSizePartial: this.#known === undefined,
      recheckAt: sentAt,
      unconfirmed: { lastAt: sentAt, requests: 0 },
    };
    this.mayHaveSpent(counted ? 1 : 0, receivedAt);
  }

  #proceed(known: SavedAllowance, reported: number, { sentAt, receivedAt }: Attempt, cost: number): void {
    if (reported > known.reported && sentAt < known.reportedAt) {
      // The lower number that was reported meanwhile includes this attempt.
      this.mayHaveSpent(cost, receivedAt);
      return;
    }
    // The attempt was in flight when the window began, so it may be of the window before.
    if (reported > known.reported || sentAt < known.begunAt) {
      this.spend(cost, receivedAt);
      return;
    }
    this.#known = {
      ...known,
      reported,
      reportedToSentAt: sentAt,
      reportedAt: receivedAt,
      remaining: Math.max(0, Math.min(known.remaining - cost, reported)),
      recheckAt: this.#edgeBefore(sentAt) > known.startsAt ? this.#nextProbe(sentAt) : known.recheckAt,
    };
    this.mayHaveSpent(cost, receivedAt);
  }

  /** Replaces the known numbers, even by a higher one. */
  #correct(known: SavedAllowance, reported: number, { sentAt, receivedAt }: Attempt, overlapping: number): void {
    this.#known = {
      ...known,
      begunAt: receivedAt,
      reported,
      reportedToSentAt: sentAt,
      reportedAt: receivedAt,
      remaining: Math.max(0, reported - overlapping),
      size: Math.max(known.size, reported),
      check: undefined,
    };
  }

  /** Other consumers were quicker, or the reset is late: probes at growing intervals. */
  #nextProbe(sentAt: UpstreamInstant): UpstreamInstant {
    const edge = this.#edgeBefore(sentAt);
    const sinceEdgeMs = msBetween(edge, sentAt);
    if (sinceEdgeMs < this.#calendar.edgeDoubtMs) return addMs(edge, this.#calendar.edgeDoubtMs);
    const later = addMs(sentAt, Math.max(MINUTE_MS, sinceEdgeMs));
    const nextEdge = addMs(this.#calendar.nextEdge(sentAt), EDGE_MARGIN_MS);
    return later < nextEdge ? later : nextEdge;
  }

  #hasOneMore(reserved: number, now: UpstreamInstant): boolean {
    return !this.#known || reserved + this.#unconfirmed(now) < Math.max(1, this.#known.size);
  }

  /**
   * When the next window's size may be guessed. A day never seen from its start is probed at growing intervals: a day
   * is too long to wait.
   */
  #nextGuess(now: UpstreamInstant): UpstreamInstant {
    const nextEdge = addMs(this.resetsAt(now), EDGE_MARGIN_MS);
    if (!this.#isDayUnseen(now)) return nextEdge;
    const lastAt = this.#known?.unconfirmed.lastAt ?? now;
    const later = addMs(lastAt, Math.max(MINUTE_MS, msBetween(this.#edgeBefore(now), lastAt)));
    return later < nextEdge ? later : nextEdge;
  }

  /** Whether no answer came in this day, nor at the start of one before it. */
  #isDayUnseen(now: UpstreamInstant): boolean {
    if (this.#calendar !== CALENDAR.day || !this.#known?.isSizePartial) return false;
    return this.#known.reportedToSentAt < this.#edgeBefore(now);
  }

  #unconfirmed(now: UpstreamInstant): number {
    if (!this.#known) return 0;
    const { lastAt, requests } = this.#known.unconfirmed;
    return addMs(lastAt, EDGE_MARGIN_MS) >= this.#edgeBefore(now) ? requests : 0;
  }

  #edgeBefore(instant: UpstreamInstant): UpstreamInstant {
    return addMs(this.#calendar.nextEdge(instant), -this.#calendar.lengthMs);
  }
}

/**
 * Whether it is the check or a later attempt: sent after the latest number had arrived. Its own answer may set the
 * estimate of the clock back, and with it `sentAt`.
 */
function isCheck({ check, reportedAt }: SavedAllowance, { sentAt }: Attempt): boolean {
  if (check?.grantedAt === undefined) return false;
  return sentAt >= addMs(check.grantedAt, -CLOCK_STEP_MS) && sentAt >= reportedAt;
}
