'use client';

import { type SubmitEvent, useId, useState } from 'react';
import { REPLAY_MAX_WINDOW_MS } from '#lib/api/replay-window.ts';
import { enterReplay } from '#lib/client/page/enter-replay.ts';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { useMay } from '#lib/client/page/use-may.ts';
import { autoLoadText } from '#lib/client/replay/replay-price.ts';
import { formOf, lastMinutes, REPLAY_MINUTES, readWindow, type WindowForm } from '#lib/client/replay/window-form.ts';
import { clockText, dateTimeText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import type { Window } from '#lib/time/window.ts';
import { Button } from '../ui/button.tsx';
import { DayCalendar } from './day-calendar.tsx';

export interface WindowPickerProps {
  readonly window: Window;
  readonly onPicked: () => void;
}

export function WindowPicker({ window, onPicked }: WindowPickerProps) {
  const lookout = useLookout();
  const [{ zone, replayAutoLoadMax }, change] = usePreferences();
  const [form, setForm] = useState<WindowForm>(() => formOf(window));
  const [tried, setTried] = useState(false);
  const maySpend = useMay('spend');
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
        At most {durationText(REPLAY_MAX_WINDOW_MS)}, loaded hour by hour. {autoLoadText(replayAutoLoadMax, maySpend)}
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
