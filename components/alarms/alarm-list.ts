import type { Alarm } from '#lib/api/watching/alarms.ts';
import { type AlarmGroup, groupedAlarms, isPending, stageOf } from '#lib/client/alarms/alarm-book.ts';
import { groupedBy } from '#lib/client/grouped-by.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

export interface AlarmChoice {
  /** `open` also shows pending alarms that ended. */
  readonly show: 'pending' | 'open' | 'all';
  readonly zone: string | undefined;
  /** Ids of zones; `undefined` for all. */
  readonly ownZones: ReadonlySet<string> | undefined;
}

export type AlarmItem =
  | { readonly kind: 'alarm'; readonly group: AlarmGroup }
  /** The rest of a flood, in one row: `and 41 more in Runway 14`. */
  | { readonly kind: 'more'; readonly zone: Alarm['zone']; readonly groups: readonly AlarmGroup[] };

const SHOWN_OF_A_ZONE = 5;

/**
 * New ones first.
 * @param expanded ids of zones whose flood is listed in full
 * @param isHeld whether an operator reads or answers it: it stays listed, also in a flood and after its end
 */
export function alarmItems(
  alarms: readonly Alarm[],
  { show, zone, ownZones }: AlarmChoice,
  now: UpstreamInstant | undefined,
  expanded: ReadonlySet<string>,
  isHeld: (alarm: Alarm) => boolean = () => false,
): readonly AlarmItem[] {
  const chosen = alarms.filter((alarm) => {
    if (zone !== undefined && alarm.zone.id !== zone) return false;
    if (ownZones && !ownZones.has(alarm.zone.id)) return false;
    if (show === 'all' || isPending(alarm, now) || isHeld(alarm)) return true;
    return show === 'open' && alarm.state !== 'ended' && stageOf(alarm, now) !== 'closed';
  });
  const groups = groupedAlarms(chosen);
  const isNew = ({ latest, earlier }: AlarmGroup) => [latest, ...earlier].some((alarm) => isPending(alarm, now));
  const fresh = groups.filter(isNew);
  const items: AlarmItem[] = [];
  const holds = ({ latest, earlier }: AlarmGroup) => [latest, ...earlier].some(isHeld);
  const byZone = groupedBy(
    fresh.filter((group) => !holds(group)),
    ({ latest }) => latest.zone.id,
  );
  const listed = new Map<string, number>();
  for (const group of fresh) {
    if (holds(group)) {
      items.push({ kind: 'alarm', group });
      continue;
    }
    const { id } = group.latest.zone;
    const count = listed.get(id) ?? 0;
    listed.set(id, count + 1);
    const its = byZone.get(id) ?? [];
    // One more fits in the line that would count it.
    const isFlood = its.length > SHOWN_OF_A_ZONE + 1 && !expanded.has(id);
    if (!isFlood || count < SHOWN_OF_A_ZONE) items.push({ kind: 'alarm', group });
    else if (count === SHOWN_OF_A_ZONE)
      items.push({ kind: 'more', zone: group.latest.zone, groups: its.slice(SHOWN_OF_A_ZONE) });
  }
  const others = groups.filter((group) => !isNew(group));
  return [...items, ...others.map((group) => ({ kind: 'alarm' as const, group }))];
}
