'use client';

import { Download } from 'lucide-react';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import type { OverviewChoice } from '#lib/client/overview/coverage-choice.ts';
import { type Counted, hourLook, lookCounts, totalsOfHours } from '#lib/client/overview/coverage-rates.ts';
import { hoursAddress, type Overview } from '#lib/client/overview/overview-query.ts';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { LinkButton } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { lightDark } from '../ui/light-dark.ts';
import { HoursGrid } from './hours-grid.tsx';
import { hoursCautions, hoursNotes, hoursSummary } from './hours-text.ts';
import { HATCH, LegendEntry } from './look-swatch.tsx';
import { OnlyApart } from './only-apart.tsx';
import { apartText, COUNTED_TEXT, SPAN_TEXT } from './overview-text.ts';

export interface HoursSectionProps {
  readonly choice: OverviewChoice;
  readonly zone: ClockZone;
  readonly overview: Overview;
  readonly placeName: string;
  readonly onCounted: (counted: Counted) => void;
}

export function HoursSection({ choice, zone, overview, placeName, onCounted }: HoursSectionProps) {
  const { layer, counted, hours: span } = choice;
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
        Hour by day, {placeName}, the last {SPAN_TEXT[span]}
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
          <p role="status" className="text-dim">
            {hoursSummary(lookCounts(hours.map((hour) => hourLook(hour, counted))))}
          </p>
          <HoursGrid hours={hours} counted={counted} zone={zone} countedUntil={data.counted_until} caption={what} />
          <ul className="flex flex-wrap gap-x-4 gap-y-1 text-caption">
            <LegendEntry background={lightDark('#9cc6ee', '#1c5796')}>Received, with its number</LegendEntry>
            <LegendEntry background={HATCH}>Watched, nothing received</LegendEntry>
            <LegendEntry border="1px solid var(--line)">Not watched</LegendEntry>
          </ul>
          {apart !== undefined && <p className="text-caption text-dim">{apart}</p>}
          {hoursCautions(hours).map((text) => (
            <p key={text} className="text-caption text-warning">
              {text}
            </p>
          ))}
          <p className="text-caption text-dim">{hoursNotes(shown.cell_deg).join(' ')}</p>
          {hoursPlace && (
            <LinkButton
              download
              href={`${hoursAddress(hoursPlace, data)}&format=csv`}
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
