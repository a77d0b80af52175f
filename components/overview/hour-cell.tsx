import { memo } from 'react';
import type { OverviewHour } from '#lib/api/overview.ts';
import { COVERAGE_COLOURS } from '#lib/client/overview/coverage-colours.ts';
import { type Counted, hourCount, hourLook, shadeOf, stepOf } from '#lib/client/overview/coverage-rates.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { classNames } from '../ui/class-names.ts';
import { lightDark } from '../ui/light-dark.ts';
import { HATCH } from './look-swatch.tsx';

const HOUR_PERCENT_S = HOUR_MS / SECOND_MS / 100;

interface HourCellProps {
  readonly hour: OverviewHour;
  readonly counted: Counted;
  readonly steps: readonly number[];
  /** All figures in words. */
  readonly text: string;
  readonly isPointed: boolean;
}

export const HourCell = memo(function HourCell({ hour, counted, steps, text, isPointed }: HourCellProps) {
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
        <span aria-hidden className="flex h-0.5 bg-line">
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
