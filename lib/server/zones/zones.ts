import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { ApiError } from '#lib/api/error-code.ts';
import type { HandOver, NewZone, PricedZone, Zone, ZoneChange } from '#lib/api/watching/zones.ts';
import { epochMs, isoTime, type UpstreamInstant } from '#lib/time/instant.ts';
import { isSuspension, SUSPENSIONS } from '#lib/zones/alarm.ts';
import type { ZoneContent } from '#lib/zones/zone.ts';
import { ZONES_MAX } from '#lib/zones/zone-limits.ts';
import type { Database } from '../database/database.ts';
import { chargeStored } from '../database/stored-bytes.ts';
import type { Query, Tables } from '../database/tables.ts';
import { inOrder, ownerKey } from '../views/owner.ts';
import { Yielding } from '../work/yielding.ts';
import { acceptedContent, requireDestinations } from './accepted-content.ts';
import {
  contentColumns,
  contentOf,
  currentRevisions,
  HEAD_COLUMNS,
  isSeenBy,
  latestRevisions,
  ownZone,
  revisionRows,
  toZone,
  type ZoneCaller,
  ZoneContents,
  type ZoneHead,
  type ZoneRow,
} from './zone-rows.ts';

const ZONES_TOPIC = 'zones';

type SuspendedRule = PricedZone['suspended'][number];

/**
 * Zones as operators store and see them. A change adds a revision and is one transaction; revisions are never changed,
 * so that an alarm keeps the zone that it was raised by. Methods reject with a `DatabaseFailure` where the database fails.
 */
export class Zones {
  readonly #database: Database;
  readonly #now: () => UpstreamInstant;
  readonly #listeners = new Set<() => void>();
  readonly #contents = new ZoneContents();

  constructor(database: Database, now: () => UpstreamInstant) {
    this.#database = database;
    this.#now = now;
  }

  /** Called within a second of a change at any server. @returns unsubscribe */
  onChange(changed: () => void): () => void {
    this.#listeners.add(changed);
    const end = this.#database.listen(ZONES_TOPIC, changed);
    return () => {
      this.#listeners.delete(changed);
      end();
    };
  }

  /** All zones with their contents: the same object for a content that did not change. */
  async all(): Promise<readonly (readonly [ZoneHead, ZoneContent])[]> {
    const { query } = this.#database;
    return this.#contents.with(query, await currentRevisions(query).select(HEAD_COLUMNS).execute());
  }

  /** @param at default: now */
  async list(caller: ZoneCaller, at?: UpstreamInstant): Promise<readonly Zone[]> {
    const { query } = this.#database;
    const heads: readonly (ZoneHead & { readonly removed_ms?: number | null })[] = await (at === undefined
      ? currentRevisions(query).select(HEAD_COLUMNS).where(isSeenBy(caller, 'zone_revision.zone_id'))
      : headsAt(query, caller, at)
    ).execute();
    const found = await this.#contents.with(query, heads);
    return inOrder(found.map(([head, content]) => toZone(head, content, caller.owner, head.removed_ms)));
  }

  /** Whether there is a zone at all, also one that not every caller sees. */
  async hasAny(): Promise<boolean> {
    return (await this.#database.query.selectFrom('zone').select('id').limit(1).executeTakeFirst()) !== undefined;
  }

  /** Rules that are suspended, by zone. */
  async suspended(): Promise<ReadonlyMap<string, SuspendedRule[]>> {
    const rows = await this.#database.query
      .selectFrom('alarm')
      .select(['zone_id', 'rule_id', 'layer', 'kind', 'count', 'opened_ms'])
      .where('state', '<>', 'ended')
      .where('kind', 'in', SUSPENSIONS)
      .orderBy('opened_ms')
      .execute();
    const byZone = new Map<string, SuspendedRule[]>();
    for (const { zone_id, rule_id: rule, layer, kind, count, opened_ms } of rows) {
      if (!isSuspension(kind)) continue;
      const since = isoTime(opened_ms);
      const its = byZone.get(zone_id) ?? [];
      its.push({
        rule,
        layer: layer as SuspendedRule['layer'],
        reason: kind,
        since,
        alarms: kind === 'too_many' ? count : null,
      });
      byZone.set(zone_id, its);
    }
    return byZone;
  }

  async isSeen(caller: ZoneCaller, id: string): Promise<boolean> {
    const seen = latestRevisions(this.#database.query, caller).select('zone_id').where('zone_id', '=', id);
    return (await seen.executeTakeFirst()) !== undefined;
  }

  /** The zone, even if it was removed. @throws ApiError if the caller sees none of that id */
  async visible(caller: ZoneCaller, id: string): Promise<Zone> {
    const row = await revisionRows(this.#database.query)
      .where('zone_id', '=', id)
      .where(isSeenBy(caller, 'zone_revision.zone_id'))
      .executeTakeFirst();
    if (!row) throw new ApiError('not_found', 'There is no such zone.');
    return toZone(row, contentOf(row), caller.owner);
  }

  /** @throws ApiError for a taken name, one zone too many, or invalid shape or hours */
  async add(caller: ZoneCaller, zone: NewZone): Promise<Zone> {
    const [added] = await this.addAll(caller, [zone]);
    return added as Zone;
  }

  /** Stores all, in one transaction, or none. @throws ApiError as `add` */
  async addAll(caller: ZoneCaller, zones: readonly NewZone[]): Promise<readonly Zone[]> {
    const yielding = new Yielding();
    const accepted: (readonly [ZoneRow, ZoneContent])[] = [];
    for (const { name, shared, ...stated } of zones) {
      if (yielding.isDue) await yielding.next();
      const content = acceptedContent(stated, [], caller);
      const row: ZoneRow = {
        zone_id: randomUUID(),
        revision: 1,
        owner: ownerKey(caller.owner),
        owner_name: caller.name,
        name,
        shared: isShared(ownerKey(caller.owner), shared),
        removed: 0,
        ...contentColumns(content),
        body_id: '',
        ...this.#by(caller),
      };
      accepted.push([row, content]);
    }
    return this.#change(async (query) => {
      const { count } = await query
        .selectFrom('zone')
        .select(({ fn }) => fn.countAll().as('count'))
        .executeTakeFirstOrThrow();
      if (Number(count) + zones.length > ZONES_MAX)
        throw new ApiError(
          'too_many_zones',
          `Lookout watches at most ${ZONES_MAX} zones, and has ${count}; remove some first.`,
        );
      await requireDestinations(
        query,
        accepted.flatMap(([, { rules }]) => rules),
      );
      const added = accepted.flatMap(([{ content, body }]) => [content, body]);
      await chargeStored(query, ownerKey(caller.owner), 'zones added', added, Math.floor(epochMs(this.#now())));
      for (const [row] of accepted) {
        if (yielding.isDue) await yielding.next();
        await requireFree(query, row);
        await query
          .insertInto('zone')
          .values({ id: row.zone_id, owner: row.owner, name: row.name, revision: row.revision })
          .execute();
        await store(query, row);
      }
      return accepted.map(([row, content]) => toZone(row, content, caller.owner));
    });
  }

  /** A change of nothing makes no revision. @throws ApiError as `add`, if the caller must not change it, or if another change came first */
  change(caller: ZoneCaller, id: string, { revision, name, shared, ...content }: ZoneChange): Promise<Zone> {
    return this.#change(async (query) => {
      const before = await ownZone(query, caller, id);
      requireRevision(before, revision);
      const { rules } = contentOf(before);
      const accepted = acceptedContent(content, rules, caller);
      const row: ZoneRow = {
        ...before,
        revision: revision + 1,
        name,
        shared: shared === undefined ? before.shared : isShared(before.owner, shared),
        ...contentColumns(accepted, before),
        ...this.#by(caller),
      };
      if (CHANGED.every((column) => row[column] === before[column]))
        return toZone(before, contentOf(before), caller.owner);
      await requireFree(query, row);
      await requireDestinations(query, accepted.rules, rules);
      await query.updateTable('zone').set({ name, revision: row.revision }).where('id', '=', id).execute();
      await this.#storeChange(query, row, before);
      return toZone(row, accepted, caller.owner);
    });
  }

  /** @throws ApiError if it does not exist, or the caller must not change it */
  remove(caller: ZoneCaller, id: string): Promise<Zone> {
    return this.#change(async (query) => {
      const before = await ownZone(query, caller, id);
      const row: ZoneRow = { ...before, revision: before.revision + 1, removed: 1, ...this.#by(caller) };
      await query.deleteFrom('zone').where('id', '=', id).execute();
      await this.#storeChange(query, row, before);
      return toZone(row, contentOf(before), caller.owner);
    });
  }

  /**
   * Gives zones to another person: all, in one transaction, or none.
   * @throws ApiError if a zone does not exist or changed meanwhile, or if the person has a zone of the same name
   */
  handOver(
    caller: ZoneCaller,
    asked: HandOver['zones'],
    to: { readonly id: string; readonly name: string },
  ): Promise<readonly Zone[]> {
    return this.#change(async (query) => {
      const zones: Zone[] = [];
      for (const { id, revision } of asked) {
        const before = await ownZone(query, caller, id);
        requireRevision(before, revision);
        const row: ZoneRow = {
          ...before,
          revision: revision + 1,
          owner: to.id,
          owner_name: to.name,
          ...this.#by(caller),
        };
        await requireFree(query, row, `${to.name} has`);
        await query.updateTable('zone').set({ owner: to.id, revision: row.revision }).where('id', '=', id).execute();
        await this.#storeChange(query, row, before);
        zones.push(toZone(row, contentOf(before), caller.owner));
      }
      return zones;
    });
  }

  #by({ owner, name }: ZoneCaller): Pick<ZoneRow, 'author' | 'author_name' | 'at_ms'> {
    return { author: ownerKey(owner), author_name: name, at_ms: Math.floor(epochMs(this.#now())) };
  }

  /** @throws ApiError beyond the day’s budget */
  async #storeChange(query: Transaction<Tables>, row: ZoneRow, before: ZoneRow): Promise<void> {
    const { author, content, body, at_ms } = row;
    await chargeStored(query, author, 'zones changed', body === before.body ? [content] : [content, body], at_ms);
    await store(query, row, before);
  }

  async #change<Result>(run: (query: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    const result = await this.#database.change(async (query) => {
      const made = await run(query);
      await this.#database.notify(query, ZONES_TOPIC);
      return made;
    });
    for (const listener of this.#listeners) listener();
    return result;
  }
}

const CHANGED = ['name', 'shared', 'content', 'body'] as const;

/** Shares shape and source with the revision before where they are the same. */
async function store(query: Transaction<Tables>, { body, ...row }: ZoneRow, before?: ZoneRow): Promise<void> {
  const isShared = body === before?.body;
  const body_id = isShared ? before.body_id : randomUUID();
  if (!isShared) await query.insertInto('zone_body').values({ id: body_id, body }).execute();
  await query
    .insertInto('zone_revision')
    .values({ ...row, body_id })
    .execute();
}

/** A zone that was made without sign-in has no operator who could share it. */
function isShared(owner: string, shared: boolean): 0 | 1 {
  return shared || owner === '' ? 1 : 0;
}

/** @throws ApiError if another change came first */
function requireRevision({ name, revision, author_name }: ZoneRow, read: number): void {
  if (revision === read) return;
  throw new ApiError(
    'revision_conflict',
    `The zone ${JSON.stringify(name)} is at revision ${revision} now, by ${author_name || 'another page'}: read it again.`,
  );
}

/** @param has such as `There is` */
async function requireFree(query: Query, { zone_id, owner, name }: ZoneRow, has = 'There is'): Promise<void> {
  const taken = await query
    .selectFrom('zone')
    .select('id')
    .where('owner', '=', owner)
    .where('name', '=', name)
    .where('id', '<>', zone_id)
    .executeTakeFirst();
  if (taken) throw new ApiError('name_taken', `${has} a zone named ${JSON.stringify(name)} already.`);
}

/** The revisions of then, of zones that the caller sees now. */
function headsAt(query: Query, caller: ZoneCaller, at: UpstreamInstant) {
  return query
    .selectFrom('zone_revision')
    .select(HEAD_COLUMNS)
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
