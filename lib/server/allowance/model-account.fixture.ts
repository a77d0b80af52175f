import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';

export interface AccountSize {
  readonly perMinute: number;
  readonly perDay: number;
}

export interface Remaining {
  readonly minute: number;
  readonly day: number;
}

/** Resets at the next minute and at midnight UTC (contract, Quota rules). */
export class ModelAccount {
  readonly #size: AccountSize;
  #minute = { index: 0, used: 0 };
  #day = { index: 0, used: 0 };

  constructor(size: AccountSize) {
    this.#size = size;
  }

  /** @param atMs never decreases @returns `undefined` where the allowance is used up */
  take(atMs: number): Remaining | undefined {
    const { minute, day } = this.remaining(atMs);
    if (minute === 0 || day === 0) return undefined;
    this.#minute.used++;
    this.#day.used++;
    return this.remaining(atMs);
  }

  /** Another consumer uses up the rest of a window. */
  burn(window: 'minute' | 'day', atMs: number): void {
    const { minute, day } = this.remaining(atMs);
    if (window === 'minute') this.#minute.used += minute;
    this.#day.used += window === 'day' ? day : Math.min(minute, day);
  }

  remaining(atMs: number): Remaining {
    const [minuteIndex, dayIndex] = [Math.floor(atMs / MINUTE_MS), Math.floor(atMs / DAY_MS)];
    if (minuteIndex > this.#minute.index) this.#minute = { index: minuteIndex, used: 0 };
    if (dayIndex > this.#day.index) this.#day = { index: dayIndex, used: 0 };
    return { minute: this.#size.perMinute - this.#minute.used, day: this.#size.perDay - this.#day.used };
  }
}
