import { LOOKBACK_MAX_DAYS } from '#lib/contract/limits.ts';
import { addMs, formatInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { OverduePast } from './past.ts';
import type { PastContents } from './past-contents.ts';
import { PERIOD_MS } from './period.ts';

export interface RetentionOptions {
  /** The wall clock. */
  readonly now: () => UpstreamInstant;
  readonly log: (entry: string) => void;
  /** Default: the longest lookback. */
  readonly days?: number;
  /** Before this, the operator has confirmed that what is too old may be deleted. Default: nothing is confirmed. */
  readonly confirmed?: () => UpstreamInstant | undefined;
}

/** More than this is not deleted at once without a confirmation: the clock may be wrong. */
const AT_ONCE_MS = DAY_MS;

/**
 * Decides from when on the past is kept. A clock alone deletes nothing: age counts from the newest record, or from now if that is earlier.
 * And as records are dated by the same clock, a jump of more than a day waits until the operator confirms it.
 */
export class Retention {
  readonly #contents: PastContents;
  readonly #options: RetentionOptions;
  #overdue: OverduePast | undefined;

  constructor(contents: PastContents, options: RetentionOptions) {
    this.#contents = contents;
    this.#options = options;
  }

  /** The observations that wait for a confirmation, as of the last `keptFrom`. */
  get overdue(): OverduePast | undefined {
    return this.#overdue;
  }

  /** The instant before which everything may be deleted; undefined if nothing may be. */
  keptFrom(): UpstreamInstant | undefined {
    const { now, days = LOOKBACK_MAX_DAYS, confirmed } = this.#options;
    const { oldestStart, newestStart } = this.#contents;
    if (oldestStart === undefined || newestStart === undefined) return undefined;
    const before = addMs(earlier(now(), addMs(newestStart, PERIOD_MS)), -days * DAY_MS);
    if (msBetween(oldestStart, before) <= AT_ONCE_MS) {
      this.#waitFor(undefined);
      return before;
    }
    const confirmedUntil = confirmed?.();
    const isConfirmed = confirmedUntil !== undefined && msBetween(confirmedUntil, before) <= AT_ONCE_MS;
    this.#waitFor(isConfirmed ? undefined : { since: oldestStart, before });
    return confirmedUntil && earlier(confirmedUntil, before);
  }

  #waitFor(overdue: OverduePast | undefined): void {
    const { now, log, days = LOOKBACK_MAX_DAYS } = this.#options;
    const isNew = this.#overdue === undefined && overdue !== undefined;
    const isOver = this.#overdue !== undefined && overdue === undefined;
    this.#overdue = overdue;
    if (isOver) log('past: nothing waits for a confirmation any more before it is deleted');
    if (!isNew) return;
    const [since, before] = [formatInstant(overdue.since), formatInstant(overdue.before)];
    log(
      `past: what was received from ${since} until ${before} is older than ${days} days, if this machine's clock is right, which says ${formatInstant(now())}. So much is deleted only after: service -- past delete --before ${before} --data DIR`,
    );
  }
}

function earlier(one: UpstreamInstant, other: UpstreamInstant): UpstreamInstant {
  return one < other ? one : other;
}
