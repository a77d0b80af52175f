'use client';

import { DayPicker } from 'react-day-picker';
import { HISTORY_MAX_AGE_MS } from '#lib/contract/limits.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';

export interface DayCalendarProps {
  /** `2026-11-21`, or invalid text that the operator typed. */
  readonly day: string;
  readonly now: UpstreamInstant;
  readonly onPick: (day: string) => void;
}

const arrow =
  'inline-flex size-8 items-center justify-center rounded-control text-dim hover:bg-raised aria-disabled:opacity-30 phone:size-11';

export function DayCalendar({ day, now, onPick }: DayCalendarProps) {
  const typed = Date.parse(`${day}T00:00:00Z`);
  const selected = Number.isNaN(typed) ? undefined : new Date(typed);
  const today = new Date(epochMs(now));
  const oldest = new Date(epochMs(now) - HISTORY_MAX_AGE_MS);
  return (
    <DayPicker
      mode="single"
      timeZone="UTC"
      weekStartsOn={1}
      today={today}
      selected={selected}
      defaultMonth={selected ?? today}
      startMonth={oldest}
      endMonth={today}
      disabled={{ before: oldest, after: today }}
      onSelect={(picked) => picked && onPick(isoDay(picked))}
      classNames={{
        root: 'relative',
        month_caption: 'flex h-8 items-center justify-center font-semibold phone:h-11',
        nav: 'absolute inset-x-0 top-0 flex h-8 justify-between phone:h-11',
        button_previous: arrow,
        button_next: arrow,
        chevron: 'size-4 fill-current',
        month_grid: 'w-full border-collapse',
        weekday: 'h-6 font-normal text-caption text-dim',
        day: 'p-0 text-center',
        day_button:
          'h-8 w-full rounded-control hover:bg-raised disabled:text-muted disabled:opacity-50 disabled:hover:bg-transparent phone:h-11',
        selected: '[&>button]:bg-text [&>button]:font-semibold [&>button]:text-surface',
        today: '[&>button]:ring-1 [&>button]:ring-edge',
        outside: 'text-muted',
      }}
    />
  );
}

function isoDay(picked: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${picked.getFullYear()}-${two(picked.getMonth() + 1)}-${two(picked.getDate())}`;
}
