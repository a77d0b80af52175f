import 'server-only';
import { type Window, windowLengthMs } from '#lib/time/window.ts';

/** Between the longest window that was whole and the shortest overfull one: closer than this there is little to win. */
const CLOSE = 1.3;
/** What was overfull once may be whole at another time. */
const FORGIVEN = 1.2;

/**
 * How long a part may be before the source is overfull for what isn't seen: it counts all layers before it filters to the
 * asked one (History behaviour). Learned from the lengths that were whole and those that were truncated with less than a page.
 */
export class HiddenLoad {
  #wholeMs = 0;
  #overfullMs = Number.POSITIVE_INFINITY;

  /** Infinite while no window was truncated with less than a page. */
  get longestMs(): number {
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
