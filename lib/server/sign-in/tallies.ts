import 'server-only';
import { epochMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import type { Database } from '../database/database.ts';
import type { Query } from '../database/tables/tables.ts';
import { digest } from './digest.ts';
import { type Tally, tallyEnd } from './tally.ts';

/** Each kind has its own limit: a flood of names evicts no address. */
export type TallyKind = 'account' | 'address' | 'browser' | 'address-at-account' | 'address-at-provider';

export interface TallyName {
  readonly kind: TallyKind;
  /** Unchecked: of any length, with any characters. */
  readonly of: string;
}

export interface TallyChange<Result> {
  readonly result: Result;
  /** For each name, `undefined` to delete it; nothing is written if omitted. */
  readonly tallies?: readonly (Tally | undefined)[];
}

/** Those that end first are deleted. */
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
   * Atomic.
   * @param change pure, may run several times
   * @throws DatabaseFailure if it may not be written
   */
  async change<Result>(
    names: readonly TallyName[],
    now: LocalInstant,
    change: (tallies: readonly (Tally | undefined)[]) => TallyChange<Result>,
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

  /** Outside of the change, which would conflict with all others. */
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

async function read(query: Query, names: readonly TallyName[], now: LocalInstant): Promise<(Tally | undefined)[]> {
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

async function write(query: Query, names: readonly TallyName[], tallies: readonly (Tally | undefined)[]) {
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
      };
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
