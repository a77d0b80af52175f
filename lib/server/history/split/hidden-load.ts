import 'server-only';
import { type Window, windowLengthMs } from '#lib/time/window.ts';

/** Shortest overfull to longest complete window; below this, searching gains little. */
const CLOSE = 1.3;
/** A length that was overfull once may be complete at another time. */
const FORGIVEN = 1.2;

/** The source counts all layers before it filters by layer (History behaviour), so it may truncate less than a page. */
export class HiddenLoad {
  #wholeMs = 0;
  #overfullMs = Number.POSITIVE_INFINITY;

  /** Infinite while no window was truncated with less than a page. */
  get maxPartMs(): number {
    if (this.#overfullMs === Number.POSITIVE_INFINITY) return this.#overfullMs;
    if (this.#wholeMs === 0) return this.#overfullMs / 2;
    return this.#overfullMs < CLOSE * this.#wholeMs ? this.#wholeMs : Math.sqrt(this.#overfullMs * this.#wholeMs);
  }

  learnWhole(window: Window): void {
    this.#wholeMs = Math.max(this.#wholeMs, windowLengthMs(window));
    if (this.#wholeMs >= this.#overfullMs) this.#overfullMs = this.#wholeMs * FORGIVEN;
  }

  learnOverfull(window: Window): void {
    this.#overfullMs = Math.min(this.#overfullMs, windowLengthMs(window));
    if (this.#wholeMs >= this.#overfullMs) this.#wholeMs = this.#overfullMs / 2;
  }
}
