'use client';

import { useQuery } from '@tanstack/react-query';
import { Bell, BellOff, BellRing } from 'lucide-react';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { isPending } from '#lib/client/alarms/alarm-book.ts';
import { useAlarms, useNow } from '#lib/client/page/use-alarms.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import type { AlarmKind } from '#lib/zones/alarm.ts';
import { classNames } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';

/** The words of the bell, and the new alarms that it counts. */
export function useAlarmWords(): { readonly fresh: readonly Alarm[]; readonly words: ChipWords } {
  const { alarms, next, failure } = useAlarms();
  const { data } = useQuery(zonesQuery());
  const now = useNow();
  const zones = data?.zones;
  const fresh = alarms.filter((alarm) => isPending(alarm, now));
  const words = chipWords({
    fresh,
    known: alarms.length,
    open: alarms.filter(({ state, closed }) => state !== 'ended' && !closed).length,
    zones: zones?.length,
    unwatched: (zones ?? []).filter(({ watched }) => watched?.state === 'not_watched').length,
    isRead: next !== undefined,
    isOld: failure !== undefined,
  });
  return { fresh, words };
}

/**
 * The bell of every page. It counts new alarms and names the latest: number and kind are never cut, a long name of a zone is.
 * Its words are never an all-clear.
 */
export function AlarmChip({ onOpen }: { readonly onOpen: () => void }) {
  const { fresh, words } = useAlarmWords();
  const isNew = fresh.length > 0;
  const Icon = isNew ? BellRing : words.isOff ? BellOff : Bell;
  /** Also the accessible name: browsers join the texts of the chip without spaces. */
  const whole = `${[words.count, words.noun].filter(Boolean).join(' ')}${words.what === '' ? '' : ` · ${words.what}${words.zone}`}`;
  return (
    <Tooltip text={whole} shortcut="W">
      <button
        type="button"
        data-testid="chip-alarms"
        data-new={fresh.length}
        aria-label={whole}
        aria-keyshortcuts="W"
        onClick={onOpen}
        className={classNames(
          'flex h-9 items-center gap-2 rounded-control border px-2.5 text-left text-table leading-4 phone:h-11 phone:gap-1.5 phone:px-2',
          isNew ? 'border-bad bg-bad text-background' : 'border-line bg-raised text-text hover:border-edge',
          words.isOff && (isNew ? 'border-background border-dashed' : 'border-warning text-warning'),
        )}
      >
        <Icon aria-hidden size={15} className="shrink-0" />
        <span className="flex compact:flex-col crowded:flex-col">
          <span className="whitespace-nowrap font-semibold">{words.count}</span>
          {words.what !== '' && (
            <span className="flex">
              <span className="whitespace-pre compact:hidden crowded:hidden"> · </span>
              <span className="whitespace-pre">{words.what}</span>
              {/* Each letter is a place to break: the least width of the chip is that of the words before. */}
              <span data-shortened className="line-clamp-1 break-all">
                {words.zone}
              </span>
            </span>
          )}
        </span>
      </button>
    </Tooltip>
  );
}

interface AlarmCounts {
  /** New alarms, the latest first. */
  readonly fresh: readonly Alarm[];
  readonly known: number;
  readonly open: number;
  /** `undefined` before the zones are read. */
  readonly zones: number | undefined;
  readonly unwatched: number;
  /** Whether any answer has arrived. */
  readonly isRead: boolean;
  /** Whether the last request failed. */
  readonly isOld: boolean;
}

interface ChipWords {
  readonly count: string;
  /** The counted thing, in the accessible name only: the bell shows it. */
  readonly noun: string;
  readonly what: string;
  readonly zone: string;
  /** Whether an alarm could be missed now. */
  readonly isOff: boolean;
}

function chipWords({ fresh, known, open, zones, unwatched, isRead, isOld }: AlarmCounts): ChipWords {
  const [first] = fresh;
  const isOff = isOld || unwatched > 0;
  if (first) {
    const noun = `${fresh.length === 1 ? 'alarm' : 'alarms'}${isOld ? ', out of date' : ''}`;
    return { count: `${fresh.length} new`, noun, what: `${whatText(first)} `, zone: first.zone.name, isOff: isOld };
  }
  if (isOld) return { count: 'Alarms', noun: '', what: 'out of date', zone: '', isOff };
  if (!isRead || zones === undefined) return { count: 'Alarms', noun: '', what: '', zone: '', isOff };
  if (zones === 0 && known === 0) return { count: 'No zones', noun: '', what: '', zone: '', isOff };
  const counted = zones === 0 ? 'no zones' : zones === 1 ? '1 zone' : `${zones} zones`;
  const what = unwatched === 0 ? counted : `${unwatched === zones ? '' : `${unwatched} of `}${counted} not watched`;
  if (open === 0) return { count: 'No new', noun: 'alarm', what, zone: '', isOff };
  return { count: `${open} open`, noun: open === 1 ? 'alarm' : 'alarms', what, zone: '', isOff };
}

const HOW: Readonly<Record<AlarmKind, string>> = {
  entered: 'in',
  first_received_inside: 'in',
  crossed_between: 'crossed',
  left: 'left',
  inside_longer: 'still in',
  speed: 'speed in',
  height: 'height in',
  emergency: 'emergency in',
  closer: 'close to another in',
  about_to_enter: 'nears',
  nothing_received: 'not received in',
  too_many: 'alarms too many in',
  rule_failed: 'rule failed in',
  flight_not_received: 'not received in',
};

/** An alarm in the fewest words before the name of its zone, such as `SIM Drone in`. */
function whatText({ layer, kind, simulated, test }: Alarm): string {
  return [simulated ? 'SIM' : '', test ? 'TEST' : '', layer === 'rid' ? 'Drone' : 'Aircraft', HOW[kind]]
    .filter(Boolean)
    .join(' ');
}
