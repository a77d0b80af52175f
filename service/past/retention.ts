import { commandText } from '#lib/commands/command-text.ts';
import { LOOKBACK_MAX_DAYS } from '#lib/contract/limits.ts';
import { addMs, formatInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { OverduePast } from './past.ts';
import type { PastContents } from './past-contents.ts';
import { PERIOD_MS } from './period.ts';

export interface RetentionOptions {
  /** The time by the wall clock. */
  readonly now: () => UpstreamInstant;
  readonly log: (entry: string) => void;
  /** Days that are kept. Default: the longest lookback. */
  readonly days?: number;
  /** The operator has confirmed that older observations may be deleted. */
  readonly confirmed?: () => UpstreamInstant | undefined;
}

/** Deleting more needs a confirmation: the clock may be wrong. */
const AT_ONCE_MS = DAY_MS;

/**
 * A wrong clock alone deletes nothing: age counts from the newest record, or now if earlier, and a jump of more than a
 * day waits for the operator.
 */
export class Retention {
  readonly #contents: PastContents;
  readonly #options: RetentionOptions;
  #overdue: OverduePast | undefined;

  constructor(contents: PastContents, options: RetentionOptions) {
    this.#contents = contents;
    this.#options = options;
  }

  get overdue(): OverduePast | undefined {
    return this.#overdue;
  }

  /** Periods that end before this may be deleted; undefined if none may. */
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
      `past: what was received from ${since} until ${before} is older than ${days} days, if this machine's clock is right, which says ${formatInstant(now())}. So much is deleted only after: ${commandText('service', `past delete --before ${before} --data DIR`)}`,
    );
  }
}

function earlier(one: UpstreamInstant, other: UpstreamInstant): UpstreamInstant {
  return one < other ? one : other;
}
