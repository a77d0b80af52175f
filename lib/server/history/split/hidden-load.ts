import 'server-only';
import { type Window, windowLengthMs } from '#lib/time/window.ts';

/** Ratio of the shortest overfull window to the longest complete one; below this, searching further gains little. */
const CLOSE = 1.3;
/** A length that was overfull once may be complete at another time. */
const FORGIVEN = 1.2;

/**
 * How long a part may be before the source is overfull because of records that are not returned: it counts all layers before
 * it filters by layer (History behaviour). Learnt from complete windows and from those truncated with less than a page.
 */
export class HiddenLoad {
  #wholeMs = 0;
  #overfullMs = Number.POSITIVE_INFINITY;

  /** The longest part to request, in milliseconds. Infinite while no window was truncated with less than a page. */
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
