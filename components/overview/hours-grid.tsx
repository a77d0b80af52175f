'use client';

import { lookOf, type OverviewHour } from '#lib/api/overview.ts';
import { COVERAGE_COLOURS } from '#lib/client/overview/coverage-colours.ts';
import { rateSteps, stepOf } from '#lib/client/overview/coverage-rates.ts';
import { type HourCounted, hourCount } from '#lib/client/overview/hour-count.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { hoursByDay } from './hours-by-day.ts';
import { hourText } from './overview-text.ts';

export interface HoursGridProps {
  readonly hours: readonly OverviewHour[];
  readonly counted: HourCounted;
  readonly zone: ClockZone;
  readonly theme: 'dark' | 'light';
  readonly caption: string;
}

const HOURS_OF_DAY = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

/** A table that is the picture: each cell has its look, and its figures as text. */
export function HoursGrid({ hours, counted, zone, theme, caption }: HoursGridProps) {
  const steps = rateSteps(hours.map((hour) => hourCount(hour, counted)).filter((count) => count > 0));
  return (
    <div className="overflow-x-auto">
      <table className="w-full min-w-[720px] table-fixed border-separate border-spacing-px text-caption tabular-nums">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            <th scope="col" className="w-24 text-left font-normal text-dim">
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
          {hoursByDay(hours, zone).map(({ day, hours: row }) => (
            <tr key={day}>
              <th scope="row" className="whitespace-nowrap text-left font-normal">
                {day}
              </th>
              {row.map((each, hour) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the hour of the day.
                <td key={hour} className="h-7 p-0">
                  <span className="flex h-full">
                    {each.map((one) => (
                      <HourCell key={one.start} hour={one} {...{ counted, zone, theme, steps }} />
                    ))}
                  </span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface HourCellProps extends Omit<HoursGridProps, 'hours' | 'caption'> {
  readonly hour: OverviewHour;
  readonly steps: readonly number[];
}

function HourCell({ hour, counted, zone, theme, steps }: HourCellProps) {
  const { steps: colours, hatch } = COVERAGE_COLOURS[theme];
  const count = hourCount(hour, counted);
  const look = lookOf(count, hour.watched_s, hour.partly_s);
  const step = stepOf(steps, count);
  const text = hourText(hour, counted, zone);
  const isPartly = hour.partly_s > 0;
  const background =
    look === 'received'
      ? colours[step]
      : look === 'nothing_received'
        ? `repeating-linear-gradient(135deg, rgb(${hatch.join(' ')} / 0.6) 0 1px, transparent 1px 4px)`
        : undefined;
  // The upper steps are dark in the light theme, and light in the dark one.
  const isInverse = look === 'received' && (theme === 'light' ? step >= 3 : step >= 3);
  const colour = isInverse ? 'var(--background)' : 'var(--text)';
  return (
    <span
      title={text}
      className="relative flex flex-1 items-center justify-center overflow-hidden [forced-color-adjust:none] [print-color-adjust:exact]"
      style={{ background, color: colour, outline: look === 'not_watched' ? '1px solid var(--line)' : undefined }}
    >
      <span aria-hidden>{look === 'received' ? shortCount(count) : ''}</span>
      <span className="sr-only">{text}</span>
      {isPartly && <span aria-hidden className="absolute inset-x-0 bottom-0 h-0.5 bg-warning" />}
    </span>
  );
}

function shortCount(count: number): string {
  return count < 1000 ? String(count) : `${Math.round(count / 1000)}k`;
}
