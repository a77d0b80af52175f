import 'server-only';
import { type Insertable, sql, type Transaction } from 'kysely';
import { epochMs } from '#lib/time/instant.ts';
import type { Transition } from '#lib/zones/evaluation/transition.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { apiRecord } from '../../upstream/api-record.ts';
import { alarmId } from './alarm-id.ts';
import { chunks } from './chunks.ts';

type AlarmRow = Insertable<Tables['alarm']>;
type Acknowledgement = Pick<
  AlarmRow,
  'acknowledged_by' | 'acknowledged_ms' | 'acknowledged_until_ms' | 'acknowledged_comment'
>;

const NOT_ACKNOWLEDGED: Acknowledgement = {
  acknowledged_by: null,
  acknowledged_ms: null,
  acknowledged_until_ms: null,
  acknowledged_comment: null,
};

interface Numbered {
  readonly id: string;
  readonly transition: Transition;
  readonly change: number;
}

/** Idempotent; also writes the outbox. */
export async function writeTransitions(
  query: Transaction<Tables>,
  transitions: readonly Transition[],
  decidedMs: number,
  firstChange: number,
): Promise<void> {
  const all = transitions.map((transition, index) => ({
    id: alarmId(transition.key),
    transition,
    change: firstChange + index,
  }));
  const written = new Set<number>();
  for await (const part of chunks(all)) {
    const rows = await query
      .insertInto('alarm_outbox')
      .values(
        part.map(({ id, transition: { type, at }, change }) => ({
          alarm_id: id,
          type,
          at_ms: Math.floor(epochMs(at)),
          change,
          announced: 0,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning('change')
      .execute();
    for (const { change } of rows) written.add(change);
  }
  const news = all.filter(({ change }) => written.has(change));
  await insertAlarms(
    query,
    news.filter(({ transition }) => transition.type === 'opened'),
    decidedMs,
  );
  // The last transition of an alarm decides its columns.
  const last = new Map(news.map((each) => [each.id, each]));
  const changed = [...last.values()].filter(({ transition }) => transition.type !== 'opened');
  for await (const part of chunks(changed)) await updateAlarms(query, part, decidedMs);
}

type Changed = Pick<AlarmRow, 'state' | 'unknown_since_ms' | 'ended_ms' | 'ended' | 'count' | 'expected'>;

function columnsAfter({ type, at, count, end, expected }: Transition): Changed {
  const atMs = Math.floor(epochMs(at));
  return {
    state: type === 'unknown' || type === 'ended' ? type : 'open',
    unknown_since_ms: type === 'unknown' ? atMs : null,
    ended_ms: type === 'ended' ? atMs : null,
    ended: type === 'ended' ? (end ?? null) : null,
    count,
    expected: expected ? 1 : 0,
  };
}

/** Both databases name columns of values column1, column2, …. */
async function updateAlarms(
  query: Transaction<Tables>,
  changed: readonly Numbered[],
  changedMs: number,
): Promise<void> {
  const rows = changed.map(({ id, transition, change }) => {
    const { state, unknown_since_ms, ended_ms, ended, count, expected } = columnsAfter(transition);
    const texts = sql`${id}, ${state}, cast(${ended} as text)`;
    const numbers = [unknown_since_ms, ended_ms, count, expected, change].map((value) => sql`cast(${value} as bigint)`);
    return sql`(${texts}, ${sql.join(numbers)})`;
  });
  await sql`
    update alarm set
      state = news.column2, ended = news.column3, unknown_since_ms = news.column4, ended_ms = news.column5,
      count = news.column6, expected = news.column7, change = news.column8, changed_ms = ${changedMs}
    from (values ${sql.join(rows)}) as news
    where alarm.id = news.column1`.execute(query);
}

async function insertAlarms(query: Transaction<Tables>, opened: readonly Numbered[], decidedMs: number): Promise<void> {
  if (opened.length === 0) return;
  const acknowledgementOf = await acknowledgements(query, opened);
  const rows = opened.map((each) => ({ ...alarmRow(each, decidedMs), ...acknowledgementOf(each.transition) }));
  for await (const part of chunks(rows))
    await query
      .insertInto('alarm')
      .values(part)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

function alarmRow({ id, transition, change }: Numbered, decidedMs: number): AlarmRow {
  const openedMs = Math.floor(epochMs(transition.openedAt));
  const { rule, layer, ref = null, other, perhapsSameAs } = transition;
  return {
    id,
    key: transition.key,
    zone_id: transition.zone,
    zone_revision: transition.revision,
    rule_id: rule,
    layer,
    ref,
    other: other ? JSON.stringify(other) : null,
    kind: transition.kind,
    opened_ms: openedMs,
    decided_ms: decidedMs,
    state: 'open',
    unknown_since_ms: null,
    ended_ms: null,
    ended: null,
    count: transition.count,
    found_later_ms: transition.found === 'history' ? Math.max(0, decidedMs - openedMs) : null,
    height_unknown: transition.heightUnknown ? 1 : 0,
    simulated: transition.simulated ? 1 : 0,
    test: transition.test ? 1 : 0,
    perhaps_same_as: perhapsSameAs === undefined ? null : alarmId(perhapsSameAs),
    expected: transition.expected ? 1 : 0,
    ...NOT_ACKNOWLEDGED,
    closed_by: null,
    closed_ms: null,
    closed_as: null,
    closed_comment: null,
    evidence: JSON.stringify(transition.evidence.map(apiRecord)),
    changed_ms: decidedMs,
    change,
    revision: 0,
  };
}

async function acknowledgements(
  query: Transaction<Tables>,
  opened: readonly Numbered[],
): Promise<(transition: Transition) => Acknowledgement> {
  const earliestMs = opened.reduce(
    (ms, { transition }) => Math.min(ms, epochMs(transition.openedAt)),
    Number.POSITIVE_INFINITY,
  );
  const rows = await query
    .selectFrom('alarm')
    .select(['rule_id', 'layer', 'ref', 'acknowledged_by', 'acknowledged_ms', 'acknowledged_comment'])
    .select('acknowledged_until_ms')
    .where('acknowledged_until_ms', '>', Math.floor(earliestMs))
    .orderBy('acknowledged_until_ms', 'desc')
    .execute();
  // The latest end of each.
  const latest = new Map(rows.toReversed().map((row) => [subjectOf(row.rule_id, row.layer, row.ref), row]));
  return ({ rule, layer, ref, openedAt }) => {
    const covering = ref === undefined ? undefined : latest.get(subjectOf(rule, layer, ref));
    if (!covering || (covering.acknowledged_until_ms ?? 0) <= epochMs(openedAt)) return NOT_ACKNOWLEDGED;
    const { rule_id: _, layer: _1, ref: _2, ...acknowledgement } = covering;
    return acknowledgement;
  };
}

function subjectOf(rule: string, layer: string, ref: string | null): string {
  return `${rule}|${layer}|${ref ?? ''}`;
}
