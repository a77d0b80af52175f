import 'server-only';
import type { Insertable, Transaction } from 'kysely';
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

/**
 * Writes transitions of alarms, and a row of the outbox for each. Those that were written before change nothing.
 * @param decidedMs the time of the decision, epoch milliseconds
 * @param firstChange the number of the first; each has its own
 */
export async function writeTransitions(
  query: Transaction<Tables>,
  transitions: readonly Transition[],
  decidedMs: number,
  firstChange: number,
): Promise<void> {
  const all = transitions.map((transition, index) => ({
    ...{ id: alarmId(transition.key), transition, change: firstChange + index },
  }));
  const written = new Set<number>();
  for (const part of chunks(all)) {
    const rows = await query
      .insertInto('alarm_outbox')
      .values(
        part.map(({ id, transition: { type, at }, change }) => ({
          ...{ alarm_id: id, type, at_ms: Math.floor(epochMs(at)), change },
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
  for (const { id, transition, change } of news) {
    const columns = columnsOf(transition);
    if (!columns) continue;
    await query
      .updateTable('alarm')
      .set({ ...columns, changed_ms: decidedMs, change })
      .where('id', '=', id)
      .execute();
  }
}

/** The columns that a transition changes; `undefined` for the one that opens the alarm. */
function columnsOf({ type, at, count, end }: Transition): Partial<AlarmRow> | undefined {
  const atMs = Math.floor(epochMs(at));
  switch (type) {
    case 'opened':
      return undefined;
    case 'reopened':
      return { state: 'open', unknown_since_ms: null, ended_ms: null, ended: null, count };
    case 'unknown':
      return { state: 'unknown', unknown_since_ms: atMs };
    case 'known':
      return { state: 'open', unknown_since_ms: null };
    case 'ended':
      return { state: 'ended', unknown_since_ms: null, ended_ms: atMs, ended: end ?? null };
  }
}

async function insertAlarms(query: Transaction<Tables>, opened: readonly Numbered[], decidedMs: number): Promise<void> {
  if (opened.length === 0) return;
  const acknowledgementOf = await acknowledgements(query, opened);
  const rows = opened.map((each) => ({ ...alarmRow(each, decidedMs), ...acknowledgementOf(each.transition) }));
  for (const part of chunks(rows))
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
    ...{
      id,
      key: transition.key,
      zone_id: transition.zone,
      zone_revision: transition.revision,
      rule_id: rule,
      layer,
      ref,
    },
    other: other ? JSON.stringify(other) : null,
    kind: transition.kind,
    ...{ opened_ms: openedMs, decided_ms: decidedMs, state: 'open', unknown_since_ms: null },
    ...{ ended_ms: null, ended: null, count: transition.count },
    found_later_ms: transition.found === 'history' ? Math.max(0, decidedMs - openedMs) : null,
    height_unknown: transition.heightUnknown ? 1 : 0,
    simulated: transition.simulated ? 1 : 0,
    test: transition.test ? 1 : 0,
    perhaps_same_as: perhapsSameAs === undefined ? null : alarmId(perhapsSameAs),
    expected: transition.expected ? 1 : 0,
    ...NOT_ACKNOWLEDGED,
    ...{ closed_by: null, closed_ms: null, closed_as: null, closed_comment: null },
    evidence: JSON.stringify(transition.evidence.map(apiRecord)),
    changed_ms: decidedMs,
    change,
  };
}

/** An acknowledgement that ends later than an alarm began covers it: same rule, same reference. */
async function acknowledgements(
  query: Transaction<Tables>,
  opened: readonly Numbered[],
): Promise<(transition: Transition) => Acknowledgement> {
  const earliestMs = Math.min(...opened.map(({ transition }) => epochMs(transition.openedAt)));
  const rows = await query
    .selectFrom('alarm')
    .select(['rule_id', 'layer', 'ref', 'acknowledged_by', 'acknowledged_ms', 'acknowledged_comment'])
    .select('acknowledged_until_ms')
    .where('acknowledged_until_ms', '>', Math.floor(earliestMs))
    .orderBy('acknowledged_until_ms', 'desc')
    .execute();
  return ({ rule, layer, ref, openedAt }) => {
    const covering = rows.find(
      (row) =>
        row.rule_id === rule &&
        row.layer === layer &&
        row.ref === ref &&
        (row.acknowledged_until_ms ?? 0) > epochMs(openedAt),
    );
    if (!covering) return NOT_ACKNOWLEDGED;
    const { rule_id: _, layer: _1, ref: _2, ...acknowledgement } = covering;
    return acknowledgement;
  };
}
