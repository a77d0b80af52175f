import type { Alarm } from '#lib/api/watching/alarms.ts';
import { type AlarmGroup, groupedAlarms, isPending, stageOf } from '#lib/client/alarms/alarm-book.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

export interface AlarmChoice {
  /** `pending`: waiting for an operator. `open`: those, and all that have not ended. */
  readonly show: 'pending' | 'open' | 'all';
  /** Of one zone; `undefined`: of all. */
  readonly zone: string | undefined;
  /** Zones of the operator alone, by id; `undefined`: all zones. */
  readonly ownZones: ReadonlySet<string> | undefined;
}

export type AlarmItem =
  | { readonly kind: 'alarm'; readonly group: AlarmGroup }
  /** A flood: `and 41 more in Runway 14`. */
  | { readonly kind: 'more'; readonly zone: Alarm['zone']; readonly groups: readonly AlarmGroup[] };

/** So many new alarms of a zone are listed one by one. */
const SHOWN_OF_A_ZONE = 5;

/**
 * The list: new alarms first, the latest first, and a flood of one zone as one line.
 * @param expanded zones whose flood is listed in full
 */
export function alarmItems(
  alarms: readonly Alarm[],
  { show, zone, ownZones }: AlarmChoice,
  now: UpstreamInstant | undefined,
  expanded: ReadonlySet<string>,
): readonly AlarmItem[] {
  const chosen = alarms.filter((alarm) => {
    if (zone !== undefined && alarm.zone.id !== zone) return false;
    if (ownZones && !ownZones.has(alarm.zone.id)) return false;
    if (show === 'all' || isPending(alarm, now)) return true;
    return show === 'open' && alarm.state !== 'ended' && stageOf(alarm, now) !== 'closed';
  });
  const groups = groupedAlarms(chosen);
  const isNew = ({ latest, earlier }: AlarmGroup) => [latest, ...earlier].some((alarm) => isPending(alarm, now));
  const fresh = groups.filter(isNew);
  const items: AlarmItem[] = [];
  const byZone = Map.groupBy(fresh, ({ latest }) => latest.zone.id);
  const listed = new Map<string, number>();
  for (const group of fresh) {
    const { id } = group.latest.zone;
    const count = listed.get(id) ?? 0;
    listed.set(id, count + 1);
    const its = byZone.get(id) ?? [];
    // One more takes the room of the line that would count it.
    const isFlood = its.length > SHOWN_OF_A_ZONE + 1 && !expanded.has(id);
    if (!isFlood || count < SHOWN_OF_A_ZONE) items.push({ kind: 'alarm', group });
    else if (count === SHOWN_OF_A_ZONE)
      items.push({ kind: 'more', zone: group.latest.zone, groups: its.slice(SHOWN_OF_A_ZONE) });
  }
  const others = groups.filter((group) => !isNew(group));
  return [...items, ...others.map((group) => ({ kind: 'alarm' as const, group }))];
}
