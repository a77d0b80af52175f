/** The two clocks of a machine, in milliseconds. */
export interface MachineClocks {
  /** Never set. It may stop while the machine sleeps. */
  monotonicMs(): number;
  /** Since 1970-01-01T00:00:00Z. It may be wrong, and may be set at any time. */
  wallMs(): number;
}

export interface ClockStep {
  /** The wall clock's time after the step. */
  readonly wallMs: number;
  /** Negative where it was set back. */
  readonly ms: number;
}

/** Smaller differences are the scheduler's: between the readings of the two clocks the process may be paused. */
const FOLLOWED_MS = 50;
/** Smaller steps are followed without a report: NTP makes them at a start. */
const REPORTED_MS = 2000;
/** Above this, the process was paused between the readings, and they are taken again. */
const READ_WITHIN_MS = 5;
const READ_AGAIN_MAX = 3;
const LEAPS_MAX = 100;

/**
 * A clock that starts at the wall clock's time and then runs with the monotonic clock, so it cannot be set. It also records the wall
 * clock's steps, and converts between the two.
 *
 * A step back changes nothing about what happened: earlier instants move back with the wall clock, and their age stays. A step forward
 * may be a correction, or time that passed while the machine was suspended. The second is assumed: earlier instants stay, and get older.
 */
export class SteadyClock {
  readonly #clocks: MachineClocks;
  readonly #startMs: number;
  /** Steps forward: before `atMs`, on this clock, the wall clock was `ms` less ahead of it than after. */
  #leaps: { readonly atMs: number; readonly ms: number }[] = [];
  /** How far the wall clock is ahead of this one. */
  #aheadMs = 0;
  #lastStep: ClockStep | undefined;
  #steps = 0;
  readonly #listeners = new Set<(step: ClockStep) => void>();

  constructor(clocks: MachineClocks) {
    this.#clocks = clocks;
    this.#startMs = clocks.wallMs() - clocks.monotonicMs();
  }

  /** Steps of two seconds or more since the start. */
  get steps(): number {
    return this.#steps;
  }

  get lastStep(): ClockStep | undefined {
    return this.#lastStep;
  }

  /** @returns what unsubscribes */
  onStep(listener: (step: ClockStep) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** In whole ms. Never goes back. */
  nowMs(): number {
    return Math.floor(this.#startMs + this.#clocks.monotonicMs());
  }

  /** The wall clock's time, within 50 ms. Detects a step since the last reading. */
  wallMs(): number {
    let wallMs = 0;
    let nowMs = 0;
    for (let reading = 0; reading < READ_AGAIN_MAX; reading += 1) {
      const beforeMs = this.#clocks.monotonicMs();
      wallMs = this.#clocks.wallMs();
      nowMs = this.nowMs();
      if (this.#clocks.monotonicMs() - beforeMs < READ_WITHIN_MS) break;
    }
    const stepMs = wallMs - nowMs - this.#aheadMs;
    if (Math.abs(stepMs) >= FOLLOWED_MS) this.#step(stepMs, wallMs, nowMs);
    // By the same clock as what was noted a moment ago, which would be still to come otherwise.
    return nowMs + this.#aheadMs;
  }

  /** When that was by the wall clock as it is set now. The order of instants stays. */
  wallOf(steadyMs: number): number {
    let wallMs = steadyMs + this.#aheadMs;
    for (const { atMs, ms } of this.#leaps) if (steadyMs < atMs) wallMs -= ms;
    return wallMs;
  }

  /** The inverse of `wallOf`. Times that the wall clock skipped map to the moment of the step. */
  steadyOf(wallMs: number): number {
    let steadyMs = wallMs - this.#aheadMs;
    for (let index = this.#leaps.length - 1; index >= 0; index -= 1) {
      const { atMs, ms } = this.#leaps[index]!;
      if (steadyMs >= atMs) break;
      steadyMs = Math.min(atMs, steadyMs + ms);
    }
    return steadyMs;
  }

  #step(ms: number, wallMs: number, nowMs: number): void {
    this.#aheadMs += ms;
    if (ms > 0) this.#leaps.push({ atMs: nowMs, ms });
    // An instant before both of the two oldest moves a little: it is as old as any that is shown.
    if (this.#leaps.length > LEAPS_MAX) {
      const [oldest, next] = this.#leaps.splice(0, 2);
      this.#leaps.unshift({ atMs: next!.atMs, ms: oldest!.ms + next!.ms });
    }
    if (Math.abs(ms) < REPORTED_MS) return;
    this.#steps += 1;
    this.#lastStep = { wallMs, ms };
    for (const listener of this.#listeners) listener(this.#lastStep);
  }
}
