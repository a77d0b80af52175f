'use client';

import { type KeyboardEvent, useMemo, useState } from 'react';
import type { OverviewHour } from '#lib/api/overview.ts';
import { type Counted, hourCount, rateSteps } from '#lib/client/overview/coverage-rates.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { HourCell } from './hour-cell.tsx';
import { hoursByDay } from './hours-by-day.ts';
import { dayText, hourText } from './hours-text.ts';

export interface HoursGridProps {
  /** In order of time. */
  readonly hours: readonly OverviewHour[];
  readonly counted: Counted;
  readonly zone: ClockZone;
  readonly countedUntil: string | null;
  readonly caption: string;
}

const HOURS_OF_DAY = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

/** Later hours are on the right, later days above. */
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 24, ArrowDown: -24 };

interface Pointed {
  readonly start: string;
  readonly isByKey: boolean;
}

/** A table that is the picture: each cell has its look, and its figures as text. */
export function HoursGrid({ hours, counted, zone, countedUntil, caption }: HoursGridProps) {
  const [pointed, setPointed] = useState<Pointed>();
  const days = useMemo(() => hoursByDay(hours, zone), [hours, zone]);
  const steps = useMemo(
    () => rateSteps(hours.map((hour) => hourCount(hour, counted)).filter((count) => count > 0)),
    [hours, counted],
  );
  const shown = hours.find(({ start }) => start === pointed?.start);
  const text = shown && hourText(shown, counted, zone, countedUntil);
  const point = ({ target }: { readonly target: EventTarget }) => {
    const cell = target instanceof Element ? target.closest<HTMLElement>('[data-start]') : null;
    const start = cell?.dataset.start;
    if (start !== undefined && start !== pointed?.start) setPointed({ start, isByKey: false });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = hours.findIndex(({ start }) => start === pointed?.start);
    const next = hours[at < 0 ? hours.length - 1 : Math.min(hours.length - 1, Math.max(0, at + step))];
    if (next) setPointed({ start: next.start, isByKey: true });
  };
  return (
    <>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled and read by arrow keys.
        tabIndex={0}
        aria-label={`${caption}; arrow keys read an hour`}
        className="relative overflow-x-auto"
        onKeyDown={onKeyDown}
      >
        <table
          className="w-full min-w-[720px] table-fixed border-separate border-spacing-px text-caption tabular-nums print:min-w-0"
          onPointerOver={point}
        >
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr>
              <th scope="col" className="sticky left-0 z-10 w-[106px] bg-background text-left font-normal text-dim">
                {zone === 'utc' ? 'Day, UTC' : 'Day, local'}
              </th>
              {HOURS_OF_DAY.map((hour) => (
                <th key={hour} scope="col" className="font-normal text-dim">
                  {hour}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, hours: row }) => (
              <tr key={day}>
                <th scope="row" className="sticky left-0 z-10 whitespace-nowrap bg-background text-left font-normal">
                  {dayText(day)}
                </th>
                {row.map((each, hour) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the hour of the day.
                  <td key={hour} className="h-6 p-0 print:h-4">
                    <span className="flex h-full">
                      {each.map((one) => (
                        <HourCell
                          key={one.start}
                          hour={one}
                          counted={counted}
                          steps={steps}
                          text={hourText(one, counted, zone, countedUntil)}
                          isPointed={one.start === pointed?.start}
                        />
                      ))}
                    </span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className="min-h-[2lh] tabular-nums print:hidden" data-testid="pointed-hour">
        {text ?? 'Point at an hour, or press arrow keys in the table, for its figures.'}
      </p>
      <p role="status" className="sr-only">
        {pointed?.isByKey ? text : ''}
      </p>
    </>
  );
}
