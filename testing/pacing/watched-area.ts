import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';

/** An older picture is not shown to new viewers. */
const RECENT_MS = 15_000;

/**
 * An area with changing viewers, and the age of what they see. Times are milliseconds of the simulation, which is the upstream's
 * time.
 */
export class WatchedArea {
  readonly cost: number;
  viewers = 0;
  intervalMs = 0;
  jitter = 1;
  startedAt: number | undefined;
  retryAt = 0;
  isRefreshing = false;
  /** Time of the picture on screen; before there is one, when the first viewer came. */
  #asOf = 0;
  #hasPicture = false;
  #countedTo = 0;
  /** Sum over viewers and time of the picture's age, in milliseconds times milliseconds. */
  ageMs2 = 0;
  viewerMs = 0;

  constructor(cost: number) {
    this.cost = cost;
  }

  /** When it is to be refreshed next. */
  get dueAt(): number {
    const regular = this.startedAt === undefined ? 0 : this.startedAt + this.intervalMs * this.jitter;
    return Math.max(regular, this.retryAt);
  }

  /** Whether there is nothing to show of it. */
  get isNew(): boolean {
    return !this.#hasPicture;
  }

  watch(viewers: number, now: number): void {
    this.count(now);
    const isOld = now - this.#asOf > RECENT_MS;
    if (this.viewers === 0 && viewers > 0 && (isOld || !this.#hasPicture)) {
      this.#hasPicture = false;
      this.#asOf = now;
      this.startedAt = undefined;
    }
    this.viewers = viewers;
  }

  refreshed(readAt: UpstreamInstant, now: number): void {
    this.count(now);
    this.#asOf = Math.max(this.#asOf, epochMs(readAt));
    this.#hasPicture = true;
  }

  /** The server lost its pictures; viewers still see theirs grow older. */
  forget(): void {
    this.#hasPicture = false;
    this.startedAt = undefined;
    this.retryAt = 0;
    this.isRefreshing = false;
  }

  /** Whoever refreshed it is gone, and its pictures are not. */
  abandon(): void {
    this.isRefreshing = false;
  }

  /** Brings the sums up to date. */
  count(now: number): void {
    if (this.viewers > 0) {
      const [from, to] = [this.#countedTo - this.#asOf, now - this.#asOf];
      this.ageMs2 += (this.viewers * (to * to - from * from)) / 2;
      this.viewerMs += this.viewers * (now - this.#countedTo);
    }
    this.#countedTo = now;
  }
}
