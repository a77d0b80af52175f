export interface MachineClocks {
  /** It is never set, and may stop while the machine sleeps. */
  monotonicMs(): number;
  /** Since 1970. May be wrong, and set at any time. */
  wallMs(): number;
}

export interface ClockStep {
  readonly wallMs: number;
  /** Negative if it was set back. */
  readonly ms: number;
}

/** Smaller differences come from pauses between readings of the two clocks. */
const FOLLOWED_MS = 50;
/** Smaller steps are followed without a report: NTP makes them at a start. */
const REPORTED_MS = 2000;
/** Above this, the process was paused between the readings. */
const READ_WITHIN_MS = 5;
const READ_AGAIN_MAX = 3;
const LEAPS_MAX = 100;

/**
 * Starts at the wall clock's time, then follows the monotonic clock.
 *
 * A step back moves earlier instants back with the wall clock; their age stays. After a step forward, they stay and
 * get older, as if the machine had been suspended.
 */
export class SteadyClock {
  readonly #clocks: MachineClocks;
  readonly #startMs: number;
  /** Before `atMs` on this clock, the wall clock was `ms` less ahead. */
  #leaps: { readonly atMs: number; readonly ms: number }[] = [];
  #aheadMs = 0;
  #lastStep: ClockStep | undefined;
  #steps = 0;
  readonly #listeners = new Set<(step: ClockStep) => void>();

  constructor(clocks: MachineClocks) {
    this.#clocks = clocks;
    this.#startMs = clocks.wallMs() - clocks.monotonicMs();
  }

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

  /** @returns whole ms, which never go back */
  nowMs(): number {
    return Math.floor(this.#startMs + this.#clocks.monotonicMs());
  }

  /** @returns the wall clock's time within 50 ms; detects steps */
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
    // The time is by this clock, or what was just noted would lie ahead.
    return nowMs + this.#aheadMs;
  }

  /** The wall clock's time of an instant. The order of instants stays. */
  wallOf(steadyMs: number): number {
    let wallMs = steadyMs + this.#aheadMs;
    for (const { atMs, ms } of this.#leaps) if (steadyMs < atMs) wallMs -= ms;
    return wallMs;
  }

  /** The instant of a wall clock's time. Times that the wall clock skipped map to the step. */
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
    // Merges the two oldest: instants before both move a little.
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
