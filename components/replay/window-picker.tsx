'use client';

import { type SubmitEvent, useId, useState } from 'react';
import { DayPicker } from 'react-day-picker';
import { REPLAY_MAX_WINDOW_MS } from '#lib/api/replay-window.ts';
import { enterReplay } from '#lib/client/page/enter-replay.ts';
import { useLookout, useMayLoad, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { REPLAY_MINUTES } from '#lib/client/page/preferences.ts';
import { autoLoadText } from '#lib/client/replay/replay-price.ts';
import { formOf, lastMinutes, readWindow, type WindowForm } from '#lib/client/replay/window-form.ts';
import { HISTORY_MAX_AGE_MS } from '#lib/contract/limits.ts';
import { clockText, dateTimeText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { Button } from '../ui/button.tsx';

interface WindowPickerProps {
  readonly window: Window;
  readonly onPicked: () => void;
}

/** Chooses the window of a replay: the last minutes, or a day and two times. Opening it replaces the replay. */
export function WindowPicker({ window, onPicked }: WindowPickerProps) {
  const lookout = useLookout();
  const [{ zone, replayAutoLoadMax }, change] = usePreferences();
  const [form, setForm] = useState<WindowForm>(() => formOf(window));
  const [tried, setTried] = useState(false);
  const mayLoad = useMayLoad();
  const now = lookout.feed.presumedNow();
  const read = readWindow(form, now);
  const problemOf = (field: keyof WindowForm) =>
    tried && read.problem !== undefined && read.field === field ? read.problem : undefined;

  const open = (picked: Window) => {
    enterReplay(lookout, { window: picked });
    onPicked();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (read.window) open(read.window);
  };

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3">
      <div>
        <p className="mb-1 font-medium">The last</p>
        <div className="flex gap-2">
          {REPLAY_MINUTES.map((minutes) => (
            <Button
              key={minutes}
              className="flex-1"
              onClick={() => {
                change({ replayMinutes: minutes });
                open(lastMinutes(minutes, now));
              }}
            >
              {minutes} min
            </Button>
          ))}
        </div>
      </div>
      <DayCalendar day={form.day} now={now} onPick={(day) => setForm({ ...form, day })} />
      <div className="grid grid-cols-[1.4fr_1fr_1fr] gap-2">
        <WindowField
          label="Day, UTC"
          value={form.day}
          problem={problemOf('day')}
          onChange={(day) => setForm({ ...form, day })}
        />
        <WindowField
          label="From, UTC"
          value={form.from}
          problem={problemOf('from')}
          onChange={(from) => setForm({ ...form, from })}
        />
        <WindowField
          label="To, UTC"
          value={form.to}
          problem={problemOf('to')}
          onChange={(to) => setForm({ ...form, to })}
        />
      </div>
      {tried && read.problem !== undefined && (
        <p role="alert" className="text-bad">
          {read.problem}
        </p>
      )}
      {zone === 'local' && read.window && (
        <p className="text-dim">
          {dateTimeText(read.window.start, zone)} to {clockText(read.window.end, zone)}
        </p>
      )}
      <Button look="primary" type="submit">
        Open this window
      </Button>
      <p className="text-dim">
        At most {durationText(REPLAY_MAX_WINDOW_MS)}, loaded hour by hour.{' '}
        {autoLoadText(replayAutoLoadMax, mayLoad, lookout.server.hasAllowance)}
      </p>
    </form>
  );
}

interface WindowFieldProps {
  readonly label: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

function WindowField({ label, value, problem, onChange }: WindowFieldProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-dim text-table">
        {label}
      </label>
      <input
        id={id}
        value={value}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        onChange={(event) => onChange(event.target.value)}
        className="h-8 w-full rounded-control border border-edge bg-raised px-2 font-mono text-table aria-invalid:border-bad phone:h-11"
      />
    </div>
  );
}

interface DayCalendarProps {
  /** `2026-11-21`, or invalid text that the operator typed. */
  readonly day: string;
  readonly now: UpstreamInstant;
  readonly onPick: (day: string) => void;
}

const ARROW =
  'inline-flex size-8 items-center justify-center rounded-control text-dim hover:bg-raised aria-disabled:opacity-30 phone:size-11';

function DayCalendar({ day, now, onPick }: DayCalendarProps) {
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
        button_previous: ARROW,
        button_next: ARROW,
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
