import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { ApiError } from '#lib/api/error-code.ts';
import type { NewZone, Zone, ZoneChange } from '#lib/api/watching/zones.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { ZONES_MAX } from '#lib/zones/zone-limits.ts';
import type { Database } from '../database/database.ts';
import { orRefuse } from '../database/database-failure.ts';
import { chargeStored } from '../database/stored-bytes.ts';
import type { Query, Tables } from '../database/tables/tables.ts';
import { inOrder, keyOf } from '../views/owner.ts';
import { acceptedContent } from './accepted-content.ts';
import { requireDestinations } from './rule-destinations.ts';
import {
  contentColumns,
  isLatestRevision,
  isSeenBy,
  latestRevisions,
  ownZone,
  revisionRows,
  toZone,
  type ZoneCaller,
  type ZoneRow,
  zoneRows,
} from './zone-rows.ts';

const ZONES_TOPIC = 'zones';

/** Methods throw `ApiError` where the database fails. */
export class Zones {
  readonly #database: Database;
  readonly #now: () => UpstreamInstant;
  readonly #listeners = new Set<() => void>();

  constructor(database: Database, now: () => UpstreamInstant) {
    this.#database = database;
    this.#now = now;
  }

  /** Within a second of a change at any server. @returns unsubscribe */
  onChange(changed: () => void): () => void {
    this.#listeners.add(changed);
    const end = this.#database.listen(ZONES_TOPIC, changed);
    return () => {
      this.#listeners.delete(changed);
      end();
    };
  }

  async all(): Promise<readonly ZoneRow[]> {
    return zoneRows(this.#database.query).execute();
  }

  /** @param at default: now */
  async list(caller: ZoneCaller, at?: UpstreamInstant): Promise<readonly Zone[]> {
    const { query } = this.#database;
    const zones =
      at === undefined
        ? (await orRefuse(zoneRows(query).where(isSeenBy(caller)).execute())).map((row) => toZone(row, caller.owner))
        : (await orRefuse(rowsAt(query, caller, at).execute())).map((row) => toZone(row, caller.owner, row.removed_ms));
    return inOrder(zones);
  }

  /** Even if removed. @throws ApiError if the caller sees none of that id */
  async visible(caller: ZoneCaller, id: string): Promise<Zone> {
    const row = await orRefuse(
      revisionRows(this.#database.query)
        .where('zone_id', '=', id)
        .where(isLatestRevision('zone_revision.zone_id'))
        .where(isSeenBy(caller))
        .executeTakeFirst(),
    );
    if (!row) throw new ApiError('not_found', 'There is no such zone.');
    return toZone(row, caller.owner);
  }

  /** @throws ApiError for a taken name, one zone too many, or invalid shape or hours */
  add(caller: ZoneCaller, { name, shared, ...content }: NewZone): Promise<Zone> {
    const accepted = acceptedContent(content, []);
    return this.#change(async (query) => {
      const { count } = await query
        .selectFrom('zone')
        .select(({ fn }) => fn.countAll().as('count'))
        .executeTakeFirstOrThrow();
      if (Number(count) >= ZONES_MAX)
        throw new ApiError('too_many_zones', `Lookout watches at most ${ZONES_MAX} zones; remove one first.`);
      const row: ZoneRow = {
        ...{ zone_id: randomUUID(), revision: 1, owner: keyOf(caller.owner), owner_name: caller.name },
        ...{ name, shared: shared ? 1 : 0, removed: 0, ...contentColumns(accepted), body_id: '' },
        ...this.#by(caller),
      };
      await requireFree(query, row);
      await requireDestinations(query, accepted.rules);
      await query
        .insertInto('zone')
        .values({ id: row.zone_id, owner: row.owner, name, revision: row.revision })
        .execute();
      await store(query, row, 'zones added');
      return toZone(row, caller.owner);
    });
  }

  /** A change of nothing makes no revision. @throws ApiError as `add`, if the caller must not change it, or if another change came first */
  change(caller: ZoneCaller, id: string, { revision, name, shared, ...content }: ZoneChange): Promise<Zone> {
    return this.#change(async (query) => {
      const before = await ownZone(query, caller, id);
      if (before.revision !== revision)
        throw new ApiError(
          'revision_conflict',
          `The zone is at revision ${before.revision} now, by ${before.author_name || 'another page'}: read it again.`,
        );
      const { rules } = toZone(before, caller.owner);
      const accepted = acceptedContent(content, rules);
      const row: ZoneRow = {
        ...before,
        ...{ revision: revision + 1, name, shared: shared ? 1 : 0, ...contentColumns(accepted, before) },
        ...this.#by(caller),
      };
      if (CHANGED.every((column) => row[column] === before[column])) return toZone(before, caller.owner);
      await requireFree(query, row);
      await requireDestinations(query, accepted.rules, rules);
      await query.updateTable('zone').set({ name, revision: row.revision }).where('id', '=', id).execute();
      await store(query, row, 'zones changed', before);
      return toZone(row, caller.owner);
    });
  }

  /** @throws ApiError if it does not exist, or the caller must not change it */
  remove(caller: ZoneCaller, id: string): Promise<Zone> {
    return this.#change(async (query) => {
      const before = await ownZone(query, caller, id);
      const row: ZoneRow = { ...before, revision: before.revision + 1, removed: 1, ...this.#by(caller) };
      await query.deleteFrom('zone').where('id', '=', id).execute();
      await store(query, row, 'zones changed', before);
      return toZone(row, caller.owner);
    });
  }

  #by({ owner, name }: ZoneCaller): Pick<ZoneRow, 'author' | 'author_name' | 'at_ms'> {
    return { author: keyOf(owner), author_name: name, at_ms: Math.floor(epochMs(this.#now())) };
  }

  async #change<Result>(run: (query: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    const result = await orRefuse(
      this.#database.change(async (query) => {
        const made = await run(query);
        await this.#database.tell(query, ZONES_TOPIC);
        return made;
      }),
    );
    for (const listener of this.#listeners) listener();
    return result;
  }
}

const CHANGED = ['name', 'shared', 'content', 'body'] as const;

/** Shares shape and source with the revision before where they are the same. @throws ApiError beyond the day’s budget */
async function store(
  query: Transaction<Tables>,
  { body, ...row }: ZoneRow,
  kind: 'zones added' | 'zones changed',
  before?: ZoneRow,
): Promise<void> {
  const isShared = body === before?.body;
  const body_id = isShared ? before.body_id : randomUUID();
  await chargeStored(query, row.author, kind, isShared ? [row.content] : [row.content, body], row.at_ms);
  if (!isShared) await query.insertInto('zone_body').values({ id: body_id, body }).execute();
  await query
    .insertInto('zone_revision')
    .values({ ...row, body_id })
    .execute();
}

async function requireFree(query: Query, { zone_id, owner, name }: ZoneRow): Promise<void> {
  const taken = await query
    .selectFrom('zone')
    .select('id')
    .where('owner', '=', owner)
    .where('name', '=', name)
    .where('id', '<>', zone_id)
    .executeTakeFirst();
  if (taken) throw new ApiError('name_taken', `There is a zone named ${JSON.stringify(name)} already.`);
}

/** Of zones that the caller sees now, and could see then. */
function rowsAt(query: Query, caller: ZoneCaller, at: UpstreamInstant) {
  return revisionRows(query)
    .where(isSeenBy(caller))
    .where('zone_revision.zone_id', 'in', latestRevisions(query, caller).select('zone_revision.zone_id'))
    .select((each) =>
      each
        .selectFrom('zone_revision as last')
        .select('last.at_ms')
        .whereRef('last.zone_id', '=', 'zone_revision.zone_id')
        .where('last.removed', '=', 1)
        .as('removed_ms'),
    )
    .where('removed', '=', 0)
    .where((where) =>
      where(
        'zone_revision.revision',
        '=',
        where
          .selectFrom('zone_revision as other')
          .select(({ fn }) => fn.max('other.revision').as('latest'))
          .whereRef('other.zone_id', '=', 'zone_revision.zone_id')
          .where('other.at_ms', '<=', Math.floor(epochMs(at))),
      ),
    );
}
