'use client';

import { Plus, X } from 'lucide-react';
import { browserTimeZone } from '#lib/client/browser/time-zone.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { isTimeZone } from '#lib/time/time-zone.ts';
import { type Hours, WEEKDAYS } from '#lib/zones/zone.ts';
import { ZONE_LIMITS } from '#lib/zones/zone-limits.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { FIELD, FormPart, TimeZoneField } from '../ui/form-fields.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { hoursText, WEEKDAY_TEXT } from './zone-text.ts';

const KINDS = [
  { value: 'always', label: 'Always' },
  { value: 'weekly', label: 'Weekly' },
  { value: 'span', label: 'One span' },
] as const;

type Weekly = Extract<Hours, { weekly: unknown }>;

const FIRST_WINDOW: Weekly['weekly'][number] = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  from: '08:00',
  to: '18:00',
};

interface HoursFieldsProps {
  readonly hours: Hours;
  readonly nowMs: number;
  readonly problem: string | undefined;
  readonly onChange: (hours: Hours) => void;
}

/** When a zone is active: always, weekly, or once. The text shows the hours in UTC too. */
export function HoursFields({ hours, nowMs, problem, onChange }: HoursFieldsProps) {
  // A half-typed name has no local time to begin with.
  const time_zone = hours && isTimeZone(hours.time_zone) ? hours.time_zone : browserTimeZone();
  const kind = hours === null ? 'always' : 'weekly' in hours ? 'weekly' : 'span';
  const choose = (chosen: (typeof KINDS)[number]['value']) => {
    if (chosen === kind) return;
    if (chosen === 'always') onChange(null);
    else if (chosen === 'weekly') onChange({ time_zone, weekly: [FIRST_WINDOW] });
    else onChange({ time_zone, from: localMinute(nowMs, time_zone), to: localMinute(nowMs + 8 * HOUR_MS, time_zone) });
  };
  return (
    <FormPart title="Hours" closedText={hoursText(hours, nowMs)} problem={problem}>
      <ChoiceRow label="Active" hidesLabel value={kind} choices={KINDS} onChange={choose} />
      {hours && (
        <>
          {'weekly' in hours ? (
            <WeeklyFields hours={hours} onChange={onChange} />
          ) : (
            (['from', 'to'] as const).map((end) => (
              <label key={end} className="flex items-center justify-between gap-2">
                {end === 'from' ? 'From' : 'To'}
                <input
                  type="datetime-local"
                  value={hours[end]}
                  onChange={(event) => onChange({ ...hours, [end]: event.target.value })}
                  className={`${FIELD} max-w-56`}
                />
              </label>
            ))
          )}
          <TimeZoneField value={hours.time_zone} onChange={(zone) => onChange({ ...hours, time_zone: zone })} />
          <p className="text-caption text-dim">{hoursText(hours, nowMs)}</p>
        </>
      )}
    </FormPart>
  );
}

function WeeklyFields({ hours, onChange }: { readonly hours: Weekly; readonly onChange: (hours: Hours) => void }) {
  const set = (index: number, changed: Partial<Weekly['weekly'][number]>) =>
    onChange({ ...hours, weekly: hours.weekly.map((each, at) => (at === index ? { ...each, ...changed } : each)) });
  return (
    <>
      {hours.weekly.map(({ days, from, to }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: windows have no identity, and fields keep no state of their own.
        <div key={index} className="flex flex-col gap-1 rounded-control border border-line p-2">
          <div className="flex flex-wrap gap-1">
            {WEEKDAYS.map((day) => {
              const isOn = days.includes(day);
              return (
                <Button
                  key={day}
                  shape="small-text"
                  look={isOn ? 'primary' : 'plain'}
                  aria-pressed={isOn}
                  onClick={() => set(index, { days: isOn ? days.filter((each) => each !== day) : [...days, day] })}
                >
                  {WEEKDAY_TEXT[day]}
                </Button>
              );
            })}
          </div>
          <div className="flex items-center gap-2">
            {(['from', 'to'] as const).map((end) => (
              <input
                key={end}
                type="time"
                aria-label={end === 'from' ? 'From' : 'To'}
                value={end === 'from' ? from : to}
                onChange={(event) => set(index, { [end]: event.target.value })}
                className={`${FIELD} max-w-28`}
              />
            ))}
            {to <= from && <span className="text-caption text-dim">next day</span>}
            {hours.weekly.length > 1 && (
              <IconButton
                look="quiet"
                label="Remove these hours"
                icon={<X />}
                className="ml-auto"
                onClick={() => onChange({ ...hours, weekly: hours.weekly.filter((_, at) => at !== index) })}
              />
            )}
          </div>
        </div>
      ))}
      {hours.weekly.length < ZONE_LIMITS.weekly_hours && (
        <Button
          shape="small-text"
          className="self-start"
          onClick={() => onChange({ ...hours, weekly: [...hours.weekly, FIRST_WINDOW] })}
        >
          <Plus aria-hidden size={14} />
          More hours
        </Button>
      )}
    </>
  );
}

/** A time on the clock of the zone, such as `2026-11-27T22:00`. */
function localMinute(atMs: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return parts.format(atMs).replace(' ', 'T');
}
