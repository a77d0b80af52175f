import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';

/**
 * A poll or a line every second is the slowest usual rhythm of aircraft receivers: ten in a row are not lost by chance.
 * With a second to notice it and two to be read, the loss is known within 15 s.
 */
export const SILENCE_MIN_MS = 10 * SECOND_MS;
/** Over the wire, a regular heartbeat is late by less. */
const LATE_MS = 2 * SECOND_MS;
/** A silence may exceed the longest usual pause by so many times the difference between this pause and the mean. */
const SPREADS = 3;
/** The longest of fewer pauses says too little. */
const PAUSES_MIN = 5;
/** Pauses between heartbeats are regular, so few of them suffice. */
const BEACON_PAUSES_MIN = 2;
/** Messages that come closer are one burst, and make no pause. */
const BURST_MS = 100;
/** Older pauses are forgotten: traffic changes over hours. */
const REMEMBERED_MS = HOUR_MS;
const BUCKET_MS = 5 * MINUTE_MS;
/** A connection that is back sooner was not lost: a restart of the receiver's program, one failed poll. */
export const DOWN_AFTER_MS = 4 * SECOND_MS;

/** Dense traffic is counted in steps of this. An aircraft has at most ten positions in it. */
const DENSE_MS = 5 * SECOND_MS;
/** So many positions come from eight aircraft at least, which do not leave in the same seconds. */
const DENSE_POSITIONS = 80;
/** Traffic is dense after half a minute. */
const DENSE_IN_A_ROW = 6;

interface Pauses {
  readonly count: number;
  readonly longestMs: number;
  readonly meanMs: number;
}

/**
 * The silence after which a feed with these pauses is lost: one missed heartbeat, or about four times the longest pause
 * of irregular traffic. Random (Poisson) pauses of 5 s or more on average exceed it once in 50 after five pauses, once
 * in 200 after ten, and once in 10⁵ after a hundred. Pauses of 1 s exceed it once in 20,000. It never errs in 17
 * recorded hours of 842 aircraft, and in an hour of one receiver in Nevada. With a view of 10 to 20 km of the former,
 * it errs two to four times.
 */
function allowedSilenceMs({ longestMs, meanMs }: Pauses): number {
  return Math.max(SILENCE_MIN_MS, longestMs + SPREADS * (longestMs - meanMs) + LATE_MS);
}

export interface LifeSettings {
  /** A silence after which the feed is lost, before its habit is known. Default: never. */
  readonly unprovenMs?: number | undefined;
  /**
   * More losses by silence within an hour are its habit. Default 1: with it, a receiver with a view of 10 to 20 km was
   * lost two to four times in the recording, with 3 up to 18 times.
   */
  readonly lossesMax?: number | undefined;
}

export interface LifeAt {
  readonly isReceiving: boolean;
  /** For a receiving feed, when it was back or started. For another, when its last message arrived or it started. */
  readonly sinceMs: number;
  /** When the loss began that ended at `sinceMs`; `undefined` before the first one, and during a loss. */
  readonly lostMs?: number | undefined;
}

/** Whether one feed receives, by its own habit. Deterministic; times are of one clock that is never set. */
export class FeedLife {
  readonly #startedMs: number;
  readonly #unprovenMs: number;
  readonly #all: PauseMemory;
  /** The pauses of messages that come without traffic. */
  readonly #beacons: PauseMemory;
  #messageMs: number | undefined;
  #beaconMs: number | undefined;
  #downMs: number | undefined;
  /** Whether the connection held since the last message. */
  #isWhole = false;
  /** When the connection was back, for a slow feed that proves itself later. */
  #presumedMs: number | undefined;
  #wasConnected = false;
  /** Whether it was lost, and its connection alone does not show that it receives. */
  #mustProve = false;
  #receivingMs: number;
  #lostMs: number | undefined;
  readonly #traffic = new DenseTraffic();

  constructor(startedMs: number, { unprovenMs = Number.POSITIVE_INFINITY, lossesMax = 1 }: LifeSettings = {}) {
    this.#startedMs = startedMs;
    this.#unprovenMs = unprovenMs;
    this.#all = new PauseMemory(lossesMax);
    this.#beacons = new PauseMemory(lossesMax);
    this.#downMs = startedMs;
    this.#receivingMs = startedMs;
  }

  /** @param isBeacon a heartbeat or state, which comes without traffic too */
  message(atMs: number, isBeacon = false): void {
    const lastMs = isBeacon ? this.#beaconMs : this.#messageMs;
    if (this.#isWhole && lastMs !== undefined && atMs - lastMs < BURST_MS) return;
    this.#noteReturn(atMs);
    if (this.#messageMs !== undefined && this.#isWhole) this.#all.add(atMs, atMs - this.#messageMs, this.#allowedMs);
    if (isBeacon) {
      if (this.#beaconMs !== undefined)
        this.#beacons.add(atMs, atMs - this.#beaconMs, this.#beaconAllowedMs ?? Number.POSITIVE_INFINITY);
      this.#beaconMs = atMs;
    }
    this.#messageMs = atMs;
    this.#downMs = undefined;
    this.#isWhole = true;
    this.#wasConnected = true;
    this.#presumedMs = undefined;
    this.#mustProve = false;
  }

  /** Counts positions of aircraft. */
  positions(atMs: number, count: number): void {
    this.#noteReturn(atMs);
    this.#traffic.add(atMs, count);
  }

  connected(atMs: number): void {
    if (this.#downMs === undefined) return;
    const isSlow = this.#allowedMs > SILENCE_MIN_MS;
    const isPresumed = this.#presumedMs === undefined && !this.#isSilent(this.#downMs) && isSlow;
    if (isPresumed) {
      this.#noteReturn(atMs);
      this.#presumedMs = atMs;
    }
    this.#mustProve = !isPresumed && !this.at(atMs).isReceiving;
    this.#downMs = undefined;
    this.#wasConnected = true;
  }

  lost(atMs: number): void {
    // A silent connection is renewed, and its pause still counts.
    if (!this.#isSilent(atMs)) this.#isWhole = false;
    if (!this.#isWhole) this.#beaconMs = undefined;
    this.#downMs ??= atMs;
  }

  at(nowMs: number): LifeAt {
    const isDown = this.#downMs !== undefined && nowMs - this.#downMs > DOWN_AFTER_MS;
    const isSilent = this.#mustProve || this.#isSilent(nowMs);
    const endedMs = this.#traffic.endedMs(nowMs);
    if (!isDown && !isSilent && endedMs === undefined)
      return { isReceiving: true, sinceMs: this.#receivingMs, lostMs: this.#lostMs };
    const lastMs = endedMs ?? this.#messageMs ?? (isDown && this.#wasConnected && !isSilent ? this.#downMs : undefined);
    return { isReceiving: false, sinceMs: lastMs ?? this.#startedMs };
  }

  #noteReturn(atMs: number): void {
    const { isReceiving, sinceMs } = this.at(atMs);
    if (isReceiving) return;
    this.#lostMs = sinceMs;
    this.#receivingMs = atMs;
  }

  #isSilent(nowMs: number): boolean {
    const sinceMs = this.#presumedMs ?? this.#messageMs ?? this.#startedMs;
    return nowMs - sinceMs > this.#allowedMs;
  }

  get #allowedMs(): number {
    const all = this.#all.pauses;
    return this.#beaconAllowedMs ?? (all.count >= PAUSES_MIN ? allowedSilenceMs(all) : this.#unprovenMs);
  }

  get #beaconAllowedMs(): number | undefined {
    const { pauses } = this.#beacons;
    return pauses.count >= BEACON_PAUSES_MIN ? allowedSilenceMs(pauses) : undefined;
  }
}

/** The program of a receiver goes on without its antenna, and only its traffic ends. */
class DenseTraffic {
  #startMs = Number.NEGATIVE_INFINITY;
  #count = 0;
  #inARow = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  add(atMs: number, count: number): void {
    if (atMs - this.#startMs >= DENSE_MS) {
      const isNext = atMs - this.#startMs < 2 * DENSE_MS;
      this.#inARow = isNext && this.#count >= DENSE_POSITIONS ? this.#inARow + 1 : 0;
      this.#startMs = atMs;
      this.#count = 0;
    }
    this.#count += count;
    this.#lastMs = atMs;
  }

  /** When all of the traffic ended at once, if it did. */
  endedMs(nowMs: number): number | undefined {
    const isEnd = this.#inARow >= DENSE_IN_A_ROW && nowMs - this.#lastMs > SILENCE_MIN_MS;
    return isEnd ? this.#lastMs : undefined;
  }
}

interface Bucket {
  readonly startMs: number;
  count: number;
  sumMs: number;
  longestMs: number;
}

/** The pauses of the hour before the last message. The longest ones that were losses are not usual. */
class PauseMemory {
  readonly #lossesMax: number;
  #buckets: Bucket[] = [];
  #losses: { readonly atMs: number; readonly ms: number }[] = [];
  #known: Pauses | undefined;

  constructor(lossesMax: number) {
    this.#lossesMax = lossesMax;
  }

  add(atMs: number, ms: number, allowedMs: number): void {
    this.#known = undefined;
    const isOld = (startMs: number) => atMs - startMs > REMEMBERED_MS + BUCKET_MS;
    while (this.#buckets[0] && isOld(this.#buckets[0].startMs)) this.#buckets.shift();
    this.#losses = this.#losses.filter(({ atMs: lostMs }) => !isOld(lostMs)).slice(-12);
    if (ms > allowedMs) {
      this.#losses.push({ atMs, ms });
      return;
    }
    let bucket = this.#buckets.at(-1);
    if (!bucket || atMs - bucket.startMs >= BUCKET_MS) {
      bucket = { startMs: atMs, count: 0, sumMs: 0, longestMs: 0 };
      this.#buckets.push(bucket);
    }
    bucket.count += 1;
    bucket.sumMs += ms;
    bucket.longestMs = Math.max(bucket.longestMs, ms);
  }

  get pauses(): Pauses {
    this.#known ??= this.#summed();
    return this.#known;
  }

  #summed(): Pauses {
    let [count, sumMs, longestMs] = [0, 0, 0];
    for (const ms of this.#losses
      .map(({ ms }) => ms)
      .toSorted((a, b) => b - a)
      .slice(this.#lossesMax)) {
      count += 1;
      sumMs += ms;
      longestMs = Math.max(longestMs, ms);
    }
    for (const bucket of this.#buckets) {
      count += bucket.count;
      sumMs += bucket.sumMs;
      longestMs = Math.max(longestMs, bucket.longestMs);
    }
    return { count, longestMs, meanMs: count === 0 ? 0 : sumMs / count };
  }
}

/** Reads the clocks in answers of one address: a clock that moves shows that a program still writes them. */
export class AnswerClock {
  #highestMs = Number.NEGATIVE_INFINITY;
  #lastMs: number | undefined;
  #advances = 0;

  /**
   * Whether it moved on. A first answer may be an old file, and caches alternate between old ones. A clock that was set
   * back counts once it advanced three times.
   */
  moved(clockMs: number): boolean {
    const isFirst = this.#lastMs === undefined;
    this.#advances = this.#lastMs !== undefined && clockMs > this.#lastMs ? this.#advances + 1 : 0;
    this.#lastMs = clockMs;
    if (clockMs <= this.#highestMs && this.#advances < 3) return false;
    this.#highestMs = clockMs;
    return !isFirst;
  }
}
