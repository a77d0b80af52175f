'use client';

import { Download } from 'lucide-react';
import { type KeyboardEvent, memo, useMemo, useState } from 'react';
import type { OverviewHour } from '#lib/api/overview.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import type { OverviewChoice } from '#lib/client/overview/coverage-choice.ts';
import { COVERAGE_COLOURS } from '#lib/client/overview/coverage-colours.ts';
import {
  type Counted,
  type Covered,
  countedBeside,
  hourCount,
  hourLook,
  rateSteps,
  shadeOf,
  stepOf,
  totalsOfHours,
} from '#lib/client/overview/coverage-rates.ts';
import { hoursAddress, type Overview } from '#lib/client/overview/overview-query.ts';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import { type ClockZone, clockText, dateText } from '#lib/model/clock-text.ts';
import { parseInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { LinkButton } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { lightDark } from '../ui/light-dark.ts';
import { HATCH, LegendEntry, OnlyApart } from './coverage-legend.tsx';
import { apartText, COUNTED_TEXT, coverageSpanText, dayText, hoursCautions, hourText } from './overview-text.ts';

export interface OverviewPartProps {
  readonly choice: OverviewChoice;
  readonly zone: ClockZone;
  readonly overview: Overview;
  readonly placeName: string;
  readonly onCounted: (counted: Covered) => void;
}

/** The counts of each hour, in a table of hours by days that is also the picture. */
export function HoursSection({ choice, zone, overview, placeName, onCounted }: OverviewPartProps) {
  const { layer } = choice;
  const counted = countedBeside(choice.counted);
  const { hours: answer, hoursPlace, coverage } = overview;
  const { data, error, isPlaceholderData } = answer;
  const shown = data?.layers.find((each) => each.layer === layer);
  const hours = shown?.hours;
  const totals = hours && totalsOfHours(hours);
  const apart = totals && apartText(totals, counted);
  const what = `${LAYER_NAME[layer]}, ${COUNTED_TEXT[counted].toLowerCase()} received in each hour`;
  return (
    <section aria-labelledby="hours" className="flex min-w-0 flex-col gap-2">
      <h2 id="hours" className="font-semibold">
        Hour by day, {placeName}, {coverageSpanText(choice)}
      </h2>
      {hoursPlace === undefined && choice.place.kind === 'everything' && coverage.data?.bbox === null && (
        <p className="text-dim">Nothing was watched, and nothing received, in this span.</p>
      )}
      {error && (
        <p role="alert" className="text-bad">
          {error.said ?? `The hours could not be read. ${failureMessage(error)}`}
        </p>
      )}
      {!hours && !error && coverage.data?.bbox !== null && <p className="text-dim">Reading the hours…</p>}
      {shown && hours && data && totals && (
        <div
          aria-busy={isPlaceholderData}
          className={classNames('flex min-w-0 flex-col gap-2', isPlaceholderData && 'opacity-50')}
        >
          <OnlyApart totals={totals} counted={counted} onCounted={onCounted} />
          <p className="font-medium">{what}</p>
          <HoursGrid hours={hours} counted={counted} zone={zone} countedUntil={data.counted_until} caption={what} />
          <ul className="flex flex-wrap gap-x-4 gap-y-1 text-caption">
            <LegendEntry
              background={lightDark(COVERAGE_COLOURS.light.steps[1].fill, COVERAGE_COLOURS.dark.steps[1].fill)}
            >
              Received, with its number
            </LegendEntry>
            <LegendEntry background={HATCH}>Watched, nothing received</LegendEntry>
            <LegendEntry border="1px solid var(--line)">Not watched</LegendEntry>
            <LegendEntry background="linear-gradient(var(--dim), var(--dim)) bottom / 100% 4px no-repeat">
              Part of the hour that was watched
            </LegendEntry>
            <LegendEntry background="linear-gradient(var(--warning), var(--warning)) bottom / 100% 4px no-repeat">
              Partly watched
            </LegendEntry>
          </ul>
          {apart !== undefined && <p className="text-caption text-dim">{apart}</p>}
          {hoursCautions(hours).map((text) => (
            <p key={text} className="text-caption text-warning">
              {text}
            </p>
          ))}
          {hoursPlace && (
            <LinkButton
              download
              href={`${hoursAddress(hoursPlace, { layer, band: data.band ?? undefined, times: data.times, timeZone: data.time_zone }, data)}&format=csv`}
              className="self-start print:hidden"
            >
              <Download aria-hidden size={14} />
              Hours as CSV
            </LinkButton>
          )}
        </div>
      )}
    </section>
  );
}

interface HoursGridProps {
  /** The hours in order of time. */
  readonly hours: readonly OverviewHour[];
  readonly counted: Counted;
  readonly zone: ClockZone;
  readonly countedUntil: string | null;
  readonly caption: string;
}

const HOURS_OF_DAY = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

/** Later hours are on the right, later days above. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -HOUR_MS,
  ArrowRight: HOUR_MS,
  ArrowUp: DAY_MS,
  ArrowDown: -DAY_MS,
};

/** The hour a step away, or the next one beyond that the span has. */
function hourAfter(hours: readonly OverviewHour[], start: string | undefined, stepMs: number) {
  const atMs = start === undefined ? Number.NaN : Date.parse(start);
  if (Number.isNaN(atMs)) return hours.at(-1);
  const of = (hour: OverviewHour) => Date.parse(hour.start);
  return stepMs > 0
    ? (hours.find((hour) => of(hour) >= atMs + stepMs) ?? hours.at(-1))
    : (hours.findLast((hour) => of(hour) <= atMs + stepMs) ?? hours[0]);
}

interface Pointed {
  readonly start: string;
  readonly isByKey: boolean;
}

/** A table that is the picture: each cell has its look, and its figures as text. */
function HoursGrid({ hours, counted, zone, countedUntil, caption }: HoursGridProps) {
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
    const next = hourAfter(hours, pointed?.start, step);
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

const HOUR_PERCENT_S = HOUR_MS / SECOND_MS / 100;

interface HourCellProps {
  readonly hour: OverviewHour;
  readonly counted: Counted;
  readonly steps: readonly number[];
  /** All figures of the hour in words. */
  readonly text: string;
  readonly isPointed: boolean;
}

const HourCell = memo(function HourCell({ hour, counted, steps, text, isPointed }: HourCellProps) {
  const look = hourLook(hour, counted);
  const count = hourCount(hour, counted);
  const shade = shadeOf(stepOf(steps, count), steps);
  const { light, dark } = { light: COVERAGE_COLOURS.light.steps[shade], dark: COVERAGE_COLOURS.dark.steps[shade] };
  const isReceived = look === 'received' && light && dark;
  return (
    <span
      data-start={hour.start}
      data-look={look}
      className={classNames(
        'flex flex-1 flex-col overflow-hidden [forced-color-adjust:none] [print-color-adjust:exact]',
        look === 'not_watched' && 'border border-line',
        isPointed && 'outline-2 outline-text -outline-offset-1',
      )}
    >
      <span
        aria-hidden
        className="flex flex-1 items-center justify-center"
        style={
          isReceived
            ? {
                background: lightDark(light.fill, dark.fill),
                color: lightDark(light.text, dark.text),
              }
            : look === 'nothing_received'
              ? { background: HATCH }
              : undefined
        }
      >
        {isReceived && shortCount(count)}
      </span>
      {look !== 'not_watched' && (
        <span aria-hidden className="flex h-1 bg-line">
          <span className="bg-dim" style={{ width: `${hour.watched_s / HOUR_PERCENT_S}%` }} />
          <span className="bg-warning" style={{ width: `${hour.partly_s / HOUR_PERCENT_S}%` }} />
        </span>
      )}
      <span className="sr-only">{text}</span>
    </span>
  );
});

function shortCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 10_000) return `${Math.round(count / 100) / 10}k`;
  return count < 1e6 ? `${Math.round(count / 1000)}k` : `${Math.round(count / 1e5) / 10}M`;
}

interface OverviewDay {
  /** A day, such as `2026-11-27`. */
  readonly day: string;
  /**
   * For each of the 24 hours of the clock, its hours. The change to winter time repeats one, which then has two; the change
   * to summer time skips one, which has none, as hours outside the window have.
   */
  readonly hours: readonly (readonly OverviewHour[])[];
}

/** The hours by the days of the clock, the latest day first. */
export function hoursByDay(hours: readonly OverviewHour[], zone: ClockZone): readonly OverviewDay[] {
  const days = new Map<string, OverviewHour[][]>();
  for (const hour of hours) {
    const at = parseInstant(hour.start);
    if (at === undefined) continue;
    const day = dateText(at, zone);
    const row = days.get(day) ?? Array.from({ length: 24 }, (): OverviewHour[] => []);
    days.set(day, row);
    row[Number(clockText(at, zone).slice(0, 2))]?.push(hour);
  }
  return [...days].map(([day, row]) => ({ day, hours: row })).reverse();
}
