import type { Alarm, AlarmsAnswer } from '#lib/api/watching/alarms.ts';
import { compareInstants, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { groupedBy } from '../grouped-by.ts';

export interface AlarmBook {
  /** The alarms, each once, the latest decision first. */
  readonly alarms: readonly Alarm[];
  /** `undefined` before the first answer. */
  readonly next: string | undefined;
}

export const EMPTY_BOOK: AlarmBook = { alarms: [], next: undefined };

/** @returns the same object if nothing changed */
export function mergedBook(book: AlarmBook, { alarms, next }: AlarmsAnswer): AlarmBook {
  if (alarms.length === 0) return book.next === next ? book : { ...book, next };
  const known = new Map(book.alarms.map((alarm) => [alarm.id, alarm]));
  for (const alarm of alarms) known.set(alarm.id, alarm);
  // Thousands may be open: each time is parsed once.
  const ordered = Array.from(known.values(), (alarm) => ({ alarm, at: parseInstant(alarm.decided_at) }))
    .sort((one, next) => (one.at === undefined || next.at === undefined ? 0 : compareInstants(next.at, one.at)))
    .map(({ alarm }) => alarm);
  return { alarms: ordered, next };
}

/**
 * Drops alarms that are over and closed, or expected, and were decided before then: a page may be open for weeks.
 * @returns the same object if there are none
 */
export function recentBook(book: AlarmBook, since: UpstreamInstant): AlarmBook {
  const alarms = book.alarms.filter(({ state, closed, expected, decided_at }) => {
    if (state !== 'ended' || !(closed || expected)) return true;
    const decidedAt = parseInstant(decided_at);
    return decidedAt === undefined || decidedAt >= since;
  });
  return alarms.length === book.alarms.length ? book : { ...book, alarms };
}

export type AlarmStage = 'new' | 'acknowledged' | 'closed';

/** @param now `undefined` while it is not known: acknowledgements are then still valid */
export function stageOf(
  { state, acknowledged, closed }: Pick<Alarm, 'state' | 'acknowledged' | 'closed'>,
  now: UpstreamInstant | undefined,
): AlarmStage {
  if (closed) return 'closed';
  if (!acknowledged) return 'new';
  const until = acknowledged.until === null ? undefined : parseInstant(acknowledged.until);
  const isOver = state !== 'ended' && until !== undefined && now !== undefined && until <= now;
  return isOver ? 'new' : 'acknowledged';
}

/** Whether it waits for an operator. */
export function isPending(alarm: Alarm, now: UpstreamInstant | undefined): boolean {
  return !alarm.expected && stageOf(alarm, now) === 'new';
}

/** Whether the alarm was open then. True also if the alarm is not known to be over. */
export function wasOpenAt({ opened_at, ended_at }: Alarm, at: UpstreamInstant): boolean {
  const opened = parseInstant(opened_at);
  const ended = ended_at === null ? undefined : parseInstant(ended_at);
  return opened !== undefined && opened <= at && (ended === undefined || at < ended);
}

/** Alarms that are perhaps of the same craft. */
export interface AlarmGroup {
  readonly latest: Alarm;
  readonly earlier: readonly Alarm[];
}

/** The latest first. */
export function membersOf({ latest, earlier }: AlarmGroup): readonly Alarm[] {
  return [latest, ...earlier];
}

/** An id that stays the same while alarms join the group. */
export function groupId({ latest, earlier }: AlarmGroup): string {
  return (earlier.at(-1) ?? latest).id;
}

export function groupedAlarms(alarms: readonly Alarm[]): readonly AlarmGroup[] {
  const byId = new Map(alarms.map((alarm) => [alarm.id, alarm]));
  const rootOf = (alarm: Alarm): string => {
    const seen = new Set<string>();
    let at = alarm;
    while (!seen.has(at.id)) {
      seen.add(at.id);
      const before = at.perhaps_same_as === null ? undefined : byId.get(at.perhaps_same_as);
      if (!before) break;
      at = before;
    }
    return at.id;
  };
  return [...groupedBy(alarms, rootOf).values()].flatMap(([latest, ...earlier]) =>
    latest ? [{ latest, earlier }] : [],
  );
}
