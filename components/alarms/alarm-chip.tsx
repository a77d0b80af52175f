'use client';

import { useQuery } from '@tanstack/react-query';
import { Bell, BellRing } from 'lucide-react';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { isPending } from '#lib/client/alarms/alarm-book.ts';
import { useAlarms, useNow } from '#lib/client/page/use-alarms.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { ALARM_KIND_TEXT } from '#lib/zones/alarm-words.ts';
import { classNames } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';

export function AlarmChip({ onOpen }: { readonly onOpen: () => void }) {
  const { alarms, failure } = useAlarms();
  const { data } = useQuery(zonesQuery());
  const now = useNow();
  const zones = data?.zones ?? [];
  if (zones.length === 0 && alarms.length === 0) return null;
  const fresh = alarms.filter((alarm) => isPending(alarm, now));
  const unwatched = zones.filter(({ watched }) => watched?.state === 'not_watched').length;
  const { headline, note } = alarmCountText({
    fresh,
    open: alarms.filter(({ state, closed }) => state !== 'ended' && !closed).length,
    zones: zones.length,
    unwatched,
    isOld: failure !== undefined,
  });
  const isNew = fresh.length > 0;
  const Icon = isNew ? BellRing : Bell;
  return (
    <Tooltip text="Show the alarms" shortcut="W">
      <button
        type="button"
        data-testid="chip-alarms"
        data-new={fresh.length}
        aria-keyshortcuts="W"
        onClick={onOpen}
        className={classNames(
          'flex h-9 min-w-24 max-w-60 shrink items-center gap-2 rounded-control border px-2.5 text-left text-table leading-tight compact:max-w-40 phone:h-11 phone:min-w-0 @max-[1420px]/bar:min-w-0 @max-[1420px]/bar:shrink-0',
          isNew ? 'border-bad bg-bad text-background' : 'border-line bg-raised text-text hover:border-edge',
        )}
      >
        <Icon aria-hidden size={15} className="shrink-0" />
        <span className="min-w-0">
          <span className="block truncate font-semibold @max-[1420px]/bar:sr-only">{headline}</span>
          <span aria-hidden className="hidden font-semibold @max-[1420px]/bar:inline">
            {fresh.length < 1000 ? fresh.length : '999+'}
          </span>
          <span className={classNames('block truncate text-caption @max-[1420px]/bar:sr-only', !isNew && 'text-dim')}>
            {note}
          </span>
        </span>
      </button>
    </Tooltip>
  );
}

interface AlarmCounts {
  /** New alarms, the latest first. */
  readonly fresh: readonly Alarm[];
  readonly open: number;
  readonly zones: number;
  readonly unwatched: number;
  /** Whether the last request failed. */
  readonly isOld: boolean;
}

/** The words of the chip, which are never an all-clear. */
function alarmCountText({ fresh, open, zones, unwatched, isOld }: AlarmCounts): {
  readonly headline: string;
  readonly note: string;
} {
  const [first] = fresh;
  const watch =
    unwatched === 0 ? (zones === 1 ? '1 zone' : `${zones} zones`) : `${unwatched} of ${zones} zones not watched`;
  if (isOld) return { headline: 'Alarms out of date', note: 'not read again since' };
  if (!first) return { headline: open === 0 ? 'No new alarm' : `${open} open`, note: watch };
  const unreal = first.simulated ? 'SIM · ' : first.test ? 'TEST · ' : '';
  return {
    headline: fresh.length === 1 ? '1 new alarm' : `${fresh.length} new alarms`,
    note: `${unreal}${ALARM_KIND_TEXT[first.kind]} · ${first.zone.name}`,
  };
}
