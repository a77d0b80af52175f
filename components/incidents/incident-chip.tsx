'use client';

import { FolderOpen } from 'lucide-react';
import type { Incident } from '#lib/api/watching/incidents.ts';
import { useOpenIncidents } from '#lib/client/incidents/incidents-query.ts';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { msBetween, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { barCount } from '../ui/bar.tsx';
import { Tooltip } from '../ui/tooltip.tsx';

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
        className={barCount('border-edge bg-raised hover:border-text')}
      >
        <span className="flex items-center gap-1.5 crowded:gap-1">
          <FolderOpen aria-hidden size={15} className="shrink-0 crowded:size-3.5" />
          <span className="crowded:hidden">{isOne ? first.number : `${open.length} incidents`}</span>
          <span className="hidden crowded:inline">
            {isOne ? first.number.slice(first.number.indexOf('-') + 1) : open.length}
          </span>
        </span>
        {time !== '' && (
          <span className="font-normal">
            <span className="crowded:hidden">{time}</span>
            {/* Whole hours. */}
            <span className="hidden text-caption crowded:inline">{time.split(' ', 2).join(' ')}</span>
          </span>
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
