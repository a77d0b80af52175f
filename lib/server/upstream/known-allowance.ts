import 'server-only';
import { nextMinute, nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { addMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Attempt } from '../ports/ledger.ts';

/** What survives a restart of one allowance. */
export interface SavedAllowance {
  /** The window that the numbers are known to belong to. */
  readonly startsAt: UpstreamInstant;
  /** When the answer came that began the window, as we saw it. */
  readonly begunAt: UpstreamInstant;
  /** The least number told in the window, and the request that it was told to. */
  readonly told: number;
  readonly reportedToSentAt: UpstreamInstant;
  readonly reportedAt: UpstreamInstant;
  /** What was told, less our attempts that it may not include. */
  readonly remaining: number;
  readonly size: number;
  /** Nothing is found out by asking before that. */
  readonly recheckAt: UpstreamInstant;
  /** Requests that may have been counted in a later window, and did not tell what it has. */
  readonly unheard: { readonly lastAt: UpstreamInstant; readonly requests: number };
}

/**
 * Counters reset at the next minute and at midnight UTC (contract, Quota rules, 4). `edgeDoubtMs`: so long after an edge
 * an answer may still be of the window before it, since clocks differ.
 */
const CALENDAR = {
  minute: { lengthMs: MINUTE_MS, edgeDoubtMs: 1000, nextEdge: nextMinute },
  day: { lengthMs: DAY_MS, edgeDoubtMs: 10_000, nextEdge: nextUtcMidnight },
} as const;

/** Past an edge, so that the counter has surely been reset. */
export const EDGE_MARGIN_MS = 1000;

/**
 * What the headers have told of one of the two allowances. While nobody else uses the account, `least` is never more than
 * the upstream still has for us once everything that was sent has arrived there.
 */
export class KnownAllowance {
  readonly #calendar: (typeof CALENDAR)[keyof typeof CALENDAR];
  #known: SavedAllowance | undefined;

  constructor(window: keyof typeof CALENDAR, saved?: SavedAllowance) {
    this.#calendar = CALENDAR[window];
    this.#known = saved;
  }

  /** `undefined` where nothing was told in the window that `now` is in. */
  remaining(now: UpstreamInstant): number | undefined {
    const known = this.#known;
    return known && (this.isCurrent(now) || this.#edgeBefore(known.reportedToSentAt) === this.#edgeBefore(now))
      ? known.remaining
      : undefined;
  }

  /** What is left at least: what an ended window had left, the one after it has too. 0 where nothing is known. */
  get least(): number {
    return this.#known?.remaining ?? 0;
  }

  /** The most that a window was seen to begin with, of late. */
  get size(): number | undefined {
    return this.#known?.size;
  }

  /** Where the window of what is known has ended: from when on a request may find out what the next one has. */
  probesFrom(now: UpstreamInstant): UpstreamInstant {
    if (!this.#known) return now;
    if (!this.mayProbe(0, now)) return addMs(this.resetsAt(now), EDGE_MARGIN_MS);
    const reset = addMs(this.#edgeBefore(now), EDGE_MARGIN_MS);
    return this.#known.recheckAt > reset ? this.#known.recheckAt : reset;
  }

  /** Whether the numbers are of the window that `now` is in, so that asking would bring nothing new. */
  isCurrent(now: UpstreamInstant): boolean {
    return this.#known?.startsAt === this.#edgeBefore(now);
  }

  resetsAt(now: UpstreamInstant): UpstreamInstant {
    return this.#calendar.nextEdge(now);
  }

  /** Whether the window that has begun surely has one more request, beside those that may have been made in it. */
  mayProbe(reserved: number, now: UpstreamInstant): boolean {
    return !this.#known || reserved + this.#unheard(now) < Math.max(1, this.#known.size);
  }

  /** Requests that were made, or may have been, and of which no number was told until `at`. */
  spend(requests: number, at: UpstreamInstant): void {
    if (!this.#known) return;
    this.#known = { ...this.#known, remaining: Math.max(0, this.#known.remaining - requests) };
    this.mayHaveSpent(requests, at);
  }

  /** Requests that may have been counted in the window that `at` is in. */
  mayHaveSpent(requests: number, at: UpstreamInstant): void {
    // Just before the edge on our clock may be after it on the upstream's.
    if (!this.#known || this.#edgeBefore(addMs(at, EDGE_MARGIN_MS)) <= this.#known.startsAt) return;
    this.#known = { ...this.#known, unheard: { lastAt: at, requests: this.#unheard(at) + requests } };
  }

  /**
   * One attempt was answered, or was given up.
   * @param told the number of its header, `undefined` where it brought none
   * @param overlapping counted attempts of ours that were settled while this one was under way
   */
  settle(told: number | undefined, attempt: Attempt, overlapping: number): void {
    const cost = attempt.counted ? 1 : 0;
    if (told === undefined) {
      this.spend(cost, attempt.receivedAt);
      return;
    }
    if (!this.#known || this.#begins(this.#known, told, attempt)) this.#begin(told, attempt, overlapping);
    else this.#go(this.#known, told, attempt, cost);
  }

  saved(): SavedAllowance | undefined {
    return this.#known;
  }

  /** Within a window the number only falls from one request to the next: a higher one is a new window's. */
  #begins(known: SavedAllowance, told: number, { counted, sentAt, receivedAt }: Attempt): boolean {
    // A window after the one in which the answer came: our clock was ahead by as much, and has been corrected.
    if (known.startsAt > this.#edgeBefore(receivedAt)) return true;
    const edge = this.#edgeBefore(sentAt);
    if (edge <= known.startsAt || sentAt < known.reportedAt) return false;
    if (told !== known.told) return told > known.told;
    // The same number again: a new window's where most of it is left. A small one may be repeated by refusals that were
    // not counted; taken for all that a new day has, it would stop everything until the next.
    const isLargest = told > 0 && 2 * told >= known.size;
    return isLargest && counted && sentAt >= addMs(edge, this.#calendar.edgeDoubtMs);
  }

  #begin(told: number, { counted, sentAt, receivedAt }: Attempt, overlapping: number): void {
    // The very first number, right after an edge, may be of the window before it.
    const surelyAt = this.#known ? sentAt : addMs(sentAt, -this.#calendar.edgeDoubtMs);
    this.#known = {
      startsAt: this.#edgeBefore(surelyAt),
      begunAt: receivedAt,
      told,
      reportedToSentAt: sentAt,
      reportedAt: receivedAt,
      remaining: Math.max(0, told - overlapping),
      // Halved at most: others being quicker once is not a small allowance, and one that was cut shows in a few windows.
      size: Math.max(told, Math.ceil((this.#known?.size ?? 0) / 2)),
      recheckAt: sentAt,
      unheard: { lastAt: sentAt, requests: 0 },
    };
    this.mayHaveSpent(counted ? 1 : 0, receivedAt);
  }

  #go(known: SavedAllowance, told: number, { sentAt, receivedAt }: Attempt, cost: number): void {
    if (told > known.told && sentAt < known.reportedAt) {
      // Counted before the one that was told less, and so included there.
      this.mayHaveSpent(cost, receivedAt);
      return;
    }
    // Under way when the window began: the number may be of the window before. A higher one is not believed.
    if (told > known.told || sentAt < known.begunAt) {
      this.spend(cost, receivedAt);
      return;
    }
    this.#known = {
      ...known,
      told,
      reportedToSentAt: sentAt,
      reportedAt: receivedAt,
      remaining: Math.max(0, Math.min(known.remaining - cost, told)),
      recheckAt: this.#edgeBefore(sentAt) > known.startsAt ? this.#nextLook(sentAt) : known.recheckAt,
    };
    this.mayHaveSpent(cost, receivedAt);
  }

  /** After the edge and yet nothing more: others were quicker, or the reset is late. Asked again, ever less often. */
  #nextLook(sentAt: UpstreamInstant): UpstreamInstant {
    const edge = this.#edgeBefore(sentAt);
    const sinceEdgeMs = msBetween(edge, sentAt);
    if (sinceEdgeMs < this.#calendar.edgeDoubtMs) return addMs(edge, this.#calendar.edgeDoubtMs);
    const later = addMs(sentAt, Math.max(MINUTE_MS, sinceEdgeMs));
    const nextEdge = addMs(this.#calendar.nextEdge(sentAt), EDGE_MARGIN_MS);
    return later < nextEdge ? later : nextEdge;
  }

  #unheard(now: UpstreamInstant): number {
    if (!this.#known) return 0;
    const { lastAt, requests } = this.#known.unheard;
    return addMs(lastAt, EDGE_MARGIN_MS) >= this.#edgeBefore(now) ? requests : 0;
  }

  #edgeBefore(instant: UpstreamInstant): UpstreamInstant {
    return addMs(this.#calendar.nextEdge(instant), -this.#calendar.lengthMs);
  }
}
