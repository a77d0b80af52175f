import 'server-only';
import type { Transaction } from 'kysely';
import { PRESENCE_MAX, type PresenceAnswer, type Seen } from '#lib/api/watching/alarms.ts';
import { epochMs, instantOf, isoTime, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Database } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import type { Part } from '../../supervision/supervisor.ts';
import { type Owner, ownerKey } from '../../views/owner.ts';
import type { ZoneCaller } from '../zone-rows.ts';

type Stretch = Tables['presence'];

/** An open page asks every 20 s. */
const APART_MAX_MS = MINUTE_MS;
const WRITTEN_EVERY_MS = MINUTE_MS;

/** When operators had a page open that received alarms: not whether they looked at it. */
export class Presence {
  readonly #database: Database;
  readonly #part: Part;
  readonly #timer: NodeJS.Timeout;
  #unwritten: readonly Stretch[] = [];

  constructor(database: Database, part: Part) {
    this.#database = database;
    this.#part = part;
    this.#timer = setInterval(() => void this.write(), WRITTEN_EVERY_MS).unref();
  }

  /**
   * Notes that a page received alarms. It does nothing without sign-in.
   * @param at when the page asked for the alarms that it received
   */
  received({ owner, name }: Pick<ZoneCaller, 'owner' | 'name'>, at: UpstreamInstant): void {
    if (owner === undefined) return;
    const ms = Math.floor(epochMs(at));
    this.#unwritten = joined([...this.#unwritten, { owner, name, from_ms: ms, to_ms: ms }]);
  }

  /** The stretches of operators within a window. Rejects with `DatabaseFailure`. */
  async between(start: UpstreamInstant, end: UpstreamInstant): Promise<PresenceAnswer> {
    const [startMs, endMs] = [epochMs(start), epochMs(end)];
    const unwritten = this.#unwritten;
    const written = await this.#database.query
      .selectFrom('presence')
      .selectAll()
      .where('to_ms', '>=', Math.floor(startMs))
      .where('from_ms', '<', Math.ceil(endMs))
      .orderBy('to_ms', 'desc')
      .limit(PRESENCE_MAX)
      .execute();
    const all = joined([...written, ...unwritten]).filter(({ from_ms, to_ms }) => to_ms >= startMs && from_ms < endMs);
    const byOwner = [...Map.groupBy(all, ({ owner }) => owner).values()].map((its) => ({
      operator: its.at(-1)?.name ?? '',
      stretches: its.map(({ from_ms, to_ms }) => ({
        from: isoTime(Math.max(from_ms, startMs)),
        to: isoTime(Math.min(to_ms, endMs)),
      })),
    }));
    const operators = byOwner.sort((one, other) => (one.operator < other.operator ? -1 : 1));
    return { operators, cut: written.length === PRESENCE_MAX };
  }

  /** Never rejects: the part reports a failure, which leaves the stretches to the next write. */
  async write(): Promise<void> {
    const taken = this.#unwritten;
    if (taken.length === 0) return;
    this.#unwritten = [];
    const isWritten = await this.#part.run(() =>
      this.#database.change(async (query) => {
        for (const stretch of taken) await writeStretch(query, stretch);
      }),
    );
    if (!isWritten) this.#unwritten = joined([...taken, ...this.#unwritten]);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }
}

/** Extends the stretch that ended shortly before, also if another server wrote it. */
async function writeStretch(query: Transaction<Tables>, { owner, name, from_ms, to_ms }: Stretch): Promise<void> {
  const before = await query
    .selectFrom('presence')
    .select('from_ms')
    .where('owner', '=', owner)
    .where('to_ms', '>=', from_ms - APART_MAX_MS)
    .where('from_ms', '<=', from_ms)
    .orderBy('from_ms', 'desc')
    .executeTakeFirst();
  if (!before) {
    await query
      .insertInto('presence')
      .values({ owner, name, from_ms, to_ms })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return;
  }
  await query
    .updateTable('presence')
    .set({ name, to_ms })
    .where('owner', '=', owner)
    .where('from_ms', '=', before.from_ms)
    .where('to_ms', '<', to_ms)
    .execute();
}

/** Joins stretches of the same operator, in order of time. */
function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const found: Stretch[] = [];
  const ordered = stretches.toSorted((a, b) =>
    a.owner === b.owner ? a.from_ms - b.from_ms : a.owner < b.owner ? -1 : 1,
  );
  for (const stretch of ordered) {
    const last = found.at(-1);
    if (last?.owner === stretch.owner && stretch.from_ms - last.to_ms <= APART_MAX_MS)
      found[found.length - 1] = { ...stretch, from_ms: last.from_ms, to_ms: Math.max(last.to_ms, stretch.to_ms) };
    else found.push(stretch);
  }
  return found;
}

/** Up to when an operator has seen the alarms, on any page. Methods reject with a `DatabaseFailure` where the database fails. */
export class SeenAlarms {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async of(owner: Owner): Promise<Seen> {
    const row = await this.#database.query
      .selectFrom('seen_to')
      .select('until_ms')
      .where('owner', '=', ownerKey(owner))
      .executeTakeFirst();
    return { until: row ? isoTime(row.until_ms) : null };
  }

  async set(owner: Owner, { until }: Seen): Promise<void> {
    await this.#database.change(async (query) => {
      await query.deleteFrom('seen_to').where('owner', '=', ownerKey(owner)).execute();
      if (until === null) return;
      const row = { owner: ownerKey(owner), until_ms: epochMs(instantOf(until)) };
      await query.insertInto('seen_to').values(row).execute();
    });
  }
}
