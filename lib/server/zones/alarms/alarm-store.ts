import 'server-only';
import { sql, type Transaction } from 'kysely';
import type { Layer } from '#lib/model/position.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { trackSchema } from '#lib/zones/alarm.ts';
import type { Gap, KnownAlarm } from '#lib/zones/evaluate-gap.ts';
import { loadZoneState } from '#lib/zones/evaluation/state-rows.ts';
import type { StateRow, Transition, WatchedNote } from '#lib/zones/evaluation/transition.ts';
import type { ZoneState } from '#lib/zones/evaluation/zone-state.ts';
import { worsenedStretch } from '#lib/zones/stretches/watched-reception.ts';
import type { Database } from '../../database/database.ts';
import { requireLease } from '../../database/tables/require-lease.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { type StretchRow, stretchesOver } from '../watch/stretch-rows.ts';
import { changeNumbers, tellAlarms } from './alarm-changes.ts';
import { writeTransitions } from './alarm-transitions.ts';
import { chunks } from './chunks.ts';

/** More than any rule reads around a gap. */
const AROUND_GAP_MS = 2 * DAY_MS;

export interface OpenStretch extends Omit<WatchedNote, 'from' | 'to'> {
  readonly fromMs: number;
  toMs: number;
}

export interface Decided {
  readonly rows: readonly StateRow[];
  readonly transitions: readonly Transition[];
  readonly stretches: readonly OpenStretch[];
  /** Times that were stored as better; before `stretches`. Default: none. */
  readonly worsened?: readonly OpenStretch[];
  /** With their new state. */
  readonly madeUp: readonly OpenStretch[];
  readonly at: UpstreamInstant;
}

export interface KeptState {
  readonly state: ZoneState;
  /** By layer. */
  readonly latest: readonly OpenStretch[];
}

/** Methods reject with `DatabaseFailure`. */
export class AlarmStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async load(): Promise<KeptState> {
    const { query } = this.#database;
    const rows = await query.selectFrom('alarm_state').selectAll().execute();
    const latest = await query
      .selectFrom('zone_stretch')
      .selectAll()
      .where((where) =>
        where(
          'zone_stretch.from_ms',
          '=',
          where
            .selectFrom('zone_stretch as other')
            .select(({ fn }) => fn.max('other.from_ms').as('latest'))
            .whereRef('other.zone_id', '=', 'zone_stretch.zone_id')
            .whereRef('other.layer', '=', 'zone_stretch.layer'),
        ),
      )
      .execute();
    return {
      state: loadZoneState(rows.map(({ key, state }) => ({ key, value: state }))),
      latest: latest.map(stretchOfRow),
    };
  }

  async known({ zoneId, layer, from, to }: Gap): Promise<readonly KnownAlarm[]> {
    const rows = await this.#database.query
      .selectFrom('alarm')
      .select(['key', 'rule_id', 'ref', 'other', 'opened_ms', 'ended_ms'])
      .where('zone_id', '=', zoneId)
      .where('layer', '=', layer)
      .where('opened_ms', '<=', Math.ceil(epochMs(to)) + AROUND_GAP_MS)
      .where((where) =>
        where.or([where('ended_ms', 'is', null), where('ended_ms', '>=', Math.floor(epochMs(from)) - AROUND_GAP_MS)]),
      )
      .execute();
    return rows.map(({ key, rule_id, ref, other, opened_ms, ended_ms }) => ({
      key,
      rule: rule_id,
      ref: ref ?? undefined,
      other: other === null ? undefined : trackSchema.parse(JSON.parse(other)),
      openedAt: upstreamInstant(opened_ms),
      endedAt: ended_ms === null ? undefined : upstreamInstant(ended_ms),
    }));
  }

  /** @throws LeaseLost if another server is the writer; nothing was written */
  async commit({ rows, transitions, stretches, worsened = [], madeUp, at }: Decided, fence: number): Promise<void> {
    const atMs = Math.floor(epochMs(at));
    await this.#database.change(async (query) => {
      await requireLease(query, this.#database.dialect, fence);
      await writeState(query, rows);
      await worsenStretches(query, worsened);
      await writeStretches(query, stretches, 0);
      if (await isStored(query, madeUp)) await writeStretches(query, madeUp, 1);
      if (transitions.length === 0) return;
      await writeTransitions(query, transitions, atMs, await changeNumbers(query, transitions.length));
      await tellAlarms(this.#database, query);
    });
  }
}

function stretchOfRow({ zone_id, layer, from_ms, to_ms, state, reason }: StretchRow): OpenStretch {
  return {
    zoneId: zone_id,
    layer: layer as Layer,
    fromMs: from_ms,
    toMs: to_ms,
    state: state as OpenStretch['state'],
    reason: reason as OpenStretch['reason'],
  };
}

async function writeState(query: Transaction<Tables>, rows: readonly StateRow[]): Promise<void> {
  const gone = rows.filter(({ value }) => value === undefined).map(({ key }) => key);
  const kept = rows.flatMap(({ key, value }) => (value === undefined ? [] : [{ key, state: value }]));
  // Neighbouring keys share database pages.
  kept.sort((one, next) => (one.key < next.key ? -1 : 1));
  for await (const keys of chunks(gone)) await query.deleteFrom('alarm_state').where('key', 'in', keys).execute();
  for await (const values of chunks(kept))
    await query
      .insertInto('alarm_state')
      .values(values)
      .onConflict((conflict) => conflict.column('key').doUpdateSet((each) => ({ state: each.ref('excluded.state') })))
      .execute();
}

/** A part of the gap may have turned out to be worse while history was read for it. @param parts of one stored stretch */
async function isStored(query: Transaction<Tables>, parts: readonly OpenStretch[]): Promise<boolean> {
  const [first, last] = [parts[0], parts.at(-1)];
  if (!first || !last) return false;
  const row = await query
    .selectFrom('zone_stretch')
    .select('to_ms')
    .where('zone_id', '=', first.zoneId)
    .where('layer', '=', first.layer)
    .where('from_ms', '=', Math.floor(first.fromMs))
    .executeTakeFirst();
  return row?.to_ms === Math.floor(last.toMs);
}

/** Of zones that are still watched. */
async function worsenStretches(query: Transaction<Tables>, worsened: readonly OpenStretch[]): Promise<void> {
  if (worsened.length === 0) return;
  const ids = query.selectFrom('zone').select('id as zone_id');
  const startMs = Math.min(...worsened.map(({ fromMs }) => Math.floor(fromMs)));
  const endMs = Math.max(...worsened.map(({ toMs }) => Math.ceil(toMs)));
  const { rows } = await stretchesOver(query, ids, { startMs, endMs, zone: undefined });
  const worse = Map.groupBy(worsened, ({ zoneId, layer }) => `${zoneId} ${layer}`);
  for (const madeUp of [0, 1] as const) {
    const changed = rows
      .filter((row) => row.made_up === madeUp)
      .flatMap((row) => {
        const stored = stretchOfRow(row);
        const parts = (worse.get(`${row.zone_id} ${row.layer}`) ?? []).reduce<readonly OpenStretch[]>(
          (all, each) => all.flatMap((part) => worsenedStretch(part, { ...each, fromMs: Math.floor(each.fromMs) })),
          [stored],
        );
        return parts.length === 1 && parts[0] === stored ? [] : parts;
      });
    await writeStretches(query, changed, madeUp);
  }
}

async function writeStretches(
  query: Transaction<Tables>,
  stretches: readonly OpenStretch[],
  madeUp: 0 | 1,
): Promise<void> {
  const all = stretches.map(({ zoneId, layer, fromMs, toMs, state, reason }) => ({
    zone_id: zoneId,
    layer,
    from_ms: Math.floor(fromMs),
    to_ms: Math.floor(toMs),
    state,
    reason,
    made_up: madeUp,
  }));
  const rows = all.filter(({ from_ms, to_ms }) => from_ms < to_ms);
  for await (const values of chunks(rows))
    await query
      .insertInto('zone_stretch')
      .values(values)
      .onConflict((conflict) =>
        conflict.columns(['zone_id', 'layer', 'from_ms']).doUpdateSet({
          to_ms: sql`excluded.to_ms`,
          state: sql`excluded.state`,
          reason: sql`excluded.reason`,
          made_up: sql`excluded.made_up`,
        }),
      )
      .execute();
}
