'use client';

import { FolderOpen } from 'lucide-react';
import type { Incident } from '#lib/api/watching/incidents.ts';
import { useOpenIncidents } from '#lib/client/incidents/incidents-query.ts';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { msBetween, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { barCount } from '../ui/bar.tsx';
import { classNames } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';

/** Next to other counts, a bar that is not very wide has room for the icon over the short number. */
const SHORT_AMONG_COUNTS = classNames(
  '@max-[1799px]/bar:[&:has(~:is([data-testid=emergency-count],[data-testid=home-chip]))]:min-w-11',
  '@max-[1799px]/bar:[&:has(~:is([data-testid=emergency-count],[data-testid=home-chip]))]:flex-col',
  '@max-[1799px]/bar:[&:has(~:is([data-testid=emergency-count],[data-testid=home-chip]))]:justify-center',
  '@max-[1799px]/bar:[&:has(~:is([data-testid=emergency-count],[data-testid=home-chip]))]:gap-0',
  '@max-[1799px]/bar:[&:has(~:is([data-testid=emergency-count],[data-testid=home-chip]))]:px-1.5',
  '@max-[1799px]/bar:[&:has(~:is([data-testid=emergency-count],[data-testid=home-chip]))_[data-long]]:hidden',
  '@max-[1799px]/bar:[&:has(~:is([data-testid=emergency-count],[data-testid=home-chip]))_[data-short]]:inline',
);

/** In the bar of every page while an incident is open: its number and running time, and the way to its page. */
export function IncidentChip() {
  const open = useOpenIncidents();
  const now = useNow();
  const [first] = open;
  if (!first) return null;
  const isOne = open.length === 1;
  const time = isOne ? runningText(first, now) : '';
  const whole = isOne
    ? [`Open incident ${first.number}`, first.title, time].filter(Boolean).join(' · ')
    : `${open.length} open incidents`;
  return (
    <Tooltip text={whole}>
      <a
        href={isOne ? `/incidents/${first.id}` : '/incidents'}
        data-testid="chip-incidents"
        aria-label={whole}
        translate="no"
        className={barCount(classNames('border-edge bg-raised hover:border-text', SHORT_AMONG_COUNTS))}
      >
        <FolderOpen aria-hidden size={15} className="shrink-0" />
        {isOne ? (
          <>
            <span data-long className="tablet:hidden">
              {first.number}
            </span>
            <span data-short className="hidden tablet:inline">
              {first.number.slice(first.number.indexOf('-') + 1)}
            </span>
            {time !== '' && (
              <span data-long className="font-normal @max-[1599px]/bar:hidden">
                · {time}
              </span>
            )}
          </>
        ) : (
          <>
            {open.length}
            <span data-long className="@max-[1439px]/bar:hidden">
              incidents
            </span>
          </>
        )}
      </a>
    </Tooltip>
  );
}

/** Since it began; empty for an incident that is over, or before the time is known. */
function runningText({ from, to }: Pick<Incident, 'from' | 'to'>, now: UpstreamInstant | undefined): string {
  const [start, end] = [parseInstant(from), to === null ? undefined : parseInstant(to)];
  if (start === undefined || now === undefined || now < start || (end !== undefined && end < now)) return '';
  return durationText(msBetween(start, now));
}
