// How often a sign-in may be tried: failures are counted in the database, by name, address and browser, and delay further
// attempts. It never locks an operator out for good.
import 'server-only';
import PQueue from 'p-queue';
import { backOffMs } from '#lib/async/back-off.ts';
import { addressBlock } from '#lib/front/client-address.ts';
import { addMs, epochMs, type LocalInstant, localInstant, msBetween } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import type { Query, Tables } from '../database/tables.ts';
import { digest } from './digest.ts';

const WINDOW_MS = 15 * MINUTE_MS;
const OF_ACCOUNT = { free: 5, windowMs: WINDOW_MS };
const OF_ADDRESS = { free: 20, windowMs: WINDOW_MS };
const OF_BROWSER = { free: 5, windowMs: WINDOW_MS };
const OF_PAIR = { free: Number.POSITIVE_INFINITY, windowMs: DAY_MS, isSliding: true };
/** An address with fewer failures on an account does not share the account's delay, which others may cause. */
const FREE_AT_ACCOUNT = 3;

const KNOWN_BROWSER_PRIORITY = 1;

export interface SignInAttempt {
  readonly account: string;
  readonly address: string;
  /** The id of a browser in which this operator has signed in before. */
  readonly browser: string | undefined;
}

export interface Admission {
  /** Seconds until another attempt; 0 if this one is admitted. */
  readonly waitS: number;
  /** The highest is compared first. Strangers have 0, and less after failures. */
  readonly priority: number;
}

/**
 * Attempts count as failures from their admission until they succeed, so parallel guesses gain nothing.
 *
 * Strangers cannot lock an operator out: only its own failures delay a known browser, and an account's failures delay
 * an address only after failures there.
 */
export class SignInThrottle {
  readonly #tallies: Tallies;
  readonly #now: () => LocalInstant;
  /** Admissions run one after the other, since they would conflict over the same tallies. */
  readonly #admissions = new PQueue({ concurrency: 1 });

  constructor(tallies: Tallies, now = () => localInstant(Date.now())) {
    this.#tallies = tallies;
    this.#now = now;
  }

  /** Rejects with a `DatabaseFailure` where the attempt cannot be counted. */
  admit(attempt: SignInAttempt): Promise<Admission> {
    return this.#admissions.add(() =>
      attempt.browser === undefined ? this.#stranger(attempt) : this.#known(attempt.browser),
    );
  }

  /** Undoes the attempt's count. Rejects with a `DatabaseFailure` where it cannot be written. */
  async succeeded(attempt: SignInAttempt): Promise<void> {
    const { browser } = attempt;
    await this.#admissions.add(() =>
      browser === undefined
        ? this.#tallies.change(namesOf(attempt), this.#now(), ([_, account, address]) => ({
            result: undefined,
            tallies: [undefined, takenBack(account), takenBack(address)],
          }))
        : this.#tallies.change([{ kind: 'browser', of: browser }], this.#now(), () => ({
            result: undefined,
            tallies: [undefined],
          })),
    );
  }

  #known(browser: string): Promise<Admission> {
    const now = this.#now();
    return this.#tallies.change([{ kind: 'browser', of: browser }], now, ([tally]) => {
      const result = { waitS: waitS(tally, now), priority: KNOWN_BROWSER_PRIORITY };
      return result.waitS > 0 ? { result } : { result, tallies: [afterFailure(tally, OF_BROWSER, now)] };
    });
  }

  #stranger(attempt: SignInAttempt): Promise<Admission> {
    const now = this.#now();
    return this.#tallies.change<Admission>(namesOf(attempt), now, ([pair, account, address]) => {
      const isDelayedByOthers = countOf(pair, OF_PAIR, now) >= FREE_AT_ACCOUNT;
      const seconds = Math.max(waitS(address, now), isDelayedByOthers ? waitS(account, now) : 0);
      if (seconds > 0) return { result: { waitS: seconds, priority: 0 } };
      const ofAddress = afterFailure(address, OF_ADDRESS, now);
      return {
        result: { waitS: 0, priority: 1 - ofAddress.count },
        tallies: [afterFailure(pair, OF_PAIR, now), afterFailure(account, OF_ACCOUNT, now), ofAddress],
      };
    });
  }
}

function namesOf({ account, address }: SignInAttempt): readonly TallyName[] {
  const block = addressBlock(address);
  return [
    { kind: 'address-at-account', of: JSON.stringify([account, block]) },
    { kind: 'account', of: account },
    { kind: 'address', of: block },
  ];
}

export interface FailureTally {
  readonly count: number;
  /** The count restarts then. */
  readonly countedUntil: LocalInstant;
  /** The time before which nothing is admitted. */
  readonly delayedUntil: LocalInstant;
}

export interface TallyLimit {
  /** Failures without a delay, within the window. */
  readonly free: number;
  readonly windowMs: number;
  /** Each count restarts the window. */
  readonly isSliding?: boolean;
}

/** The delay doubles up to this: slow for attackers, never a permanent lock. */
const DELAY = { firstMs: SECOND_MS, maxMs: 5 * MINUTE_MS };

export function afterFailure(tally: FailureTally | undefined, limit: TallyLimit, now: LocalInstant): FailureTally {
  const count = countOf(tally, limit, now) + 1;
  const isNew = count === 1 || limit.isSliding || tally === undefined;
  const over = count - limit.free;
  const delayMs = over < 0 ? 0 : backOffMs(over + 1, DELAY);
  return {
    count,
    countedUntil: isNew ? addMs(now, limit.windowMs) : tally.countedUntil,
    delayedUntil: over < 0 ? (tally?.delayedUntil ?? now) : addMs(now, delayMs),
  };
}

export function takenBack(tally: FailureTally | undefined): FailureTally | undefined {
  return tally && { ...tally, count: Math.max(0, tally.count - 1) };
}

/** The count of a tally. A clock set back does not extend the window. */
export function countOf(tally: FailureTally | undefined, { windowMs }: TallyLimit, now: LocalInstant): number {
  if (!tally) return 0;
  const leftMs = msBetween(now, tally.countedUntil);
  return leftMs > 0 && leftMs <= windowMs ? tally.count : 0;
}

/** Whole seconds until an attempt is admitted. */
export function waitS(tally: FailureTally | undefined, now: LocalInstant): number {
  if (!tally) return 0;
  const leftMs = Math.min(DELAY.maxMs, msBetween(now, tally.delayedUntil));
  return Math.ceil(Math.max(0, leftMs) / SECOND_MS);
}

export function tallyEnd({ countedUntil, delayedUntil }: FailureTally): LocalInstant {
  return countedUntil > delayedUntil ? countedUntil : delayedUntil;
}

/** Each kind has its own limit: a flood of names evicts no address. */
export type TallyKind = 'account' | 'address' | 'browser' | 'address-at-account' | 'address-at-provider';

export interface TallyName {
  readonly kind: TallyKind;
  /** The text is unchecked: it may have any length and any characters. */
  readonly of: string;
}

export interface TallyChange<Result> {
  readonly result: Result;
  /** The tally of each name, `undefined` to delete it; nothing is written if omitted. */
  readonly tallies?: readonly (FailureTally | undefined)[];
}

/** The number of tallies that are kept. Those that end first are deleted. */
const KEPT_MAX = 100_000;

export class Tallies {
  readonly #database: Database;
  readonly #keptMax: number;
  #writes = 0;

  constructor(database: Database, keptMax = KEPT_MAX) {
    this.#database = database;
    this.#keptMax = keptMax;
  }

  /**
   * Changes tallies in one step.
   * @param change pure, may run several times
   * @throws DatabaseFailure if it may not be written
   */
  async change<Result>(
    names: readonly TallyName[],
    now: LocalInstant,
    change: (tallies: readonly (FailureTally | undefined)[]) => TallyChange<Result>,
  ): Promise<Result> {
    const { result, tallies } = await this.#database.change(async (query) => {
      const changed = change(await read(query, names, now));
      if (changed.tallies) await write(query, names, changed.tallies);
      return changed;
    });
    if (tallies && this.#writes++ % Math.ceil(this.#keptMax / 100) === 0)
      for (const kind of new Set(names.map((name) => name.kind))) await this.#prune(kind, now);
    return result;
  }

  /** It runs outside of the change, since it would conflict with all others. */
  async #prune(kind: TallyKind, now: LocalInstant): Promise<void> {
    const { query } = this.#database;
    const beyond = await query
      .selectFrom('tally')
      .select('ends_ms')
      .where('kind', '=', kind)
      .orderBy('ends_ms', 'desc')
      .limit(1)
      .offset(this.#keptMax)
      .executeTakeFirst();
    const endsMs = Math.max(msOf(now), beyond?.ends_ms ?? 0);
    await query.deleteFrom('tally').where('kind', '=', kind).where('ends_ms', '<=', endsMs).execute();
  }
}

async function read(
  query: Query,
  names: readonly TallyName[],
  now: LocalInstant,
): Promise<(FailureTally | undefined)[]> {
  const digests = names.map(({ of }) => digest(of));
  const rows = await query.selectFrom('tally').selectAll().where('of_digest', 'in', digests).execute();
  return names.map(({ kind }, index) => {
    const row = rows.find((each) => each.kind === kind && each.of_digest === digests[index]);
    if (!row || row.ends_ms <= msOf(now)) return undefined;
    return {
      count: row.count,
      countedUntil: localInstant(row.counted_until_ms),
      delayedUntil: localInstant(row.delayed_until_ms),
    };
  });
}

async function write(query: Query, names: readonly TallyName[], tallies: readonly (FailureTally | undefined)[]) {
  for (const [index, { kind, of }] of names.entries()) {
    const tally = tallies[index];
    const of_digest = digest(of);
    if (!tally) await query.deleteFrom('tally').where('kind', '=', kind).where('of_digest', '=', of_digest).execute();
    else {
      const columns = {
        count: tally.count,
        counted_until_ms: msOf(tally.countedUntil),
        delayed_until_ms: msOf(tally.delayedUntil),
        ends_ms: msOf(tallyEnd(tally)),
      } satisfies Partial<Tables['tally']>;
      await query
        .insertInto('tally')
        .values({ kind, of_digest, ...columns })
        .onConflict((conflict) => conflict.columns(['kind', 'of_digest']).doUpdateSet(columns))
        .execute();
    }
  }
}

function msOf(instant: LocalInstant): number {
  return Math.floor(epochMs(instant));
}
