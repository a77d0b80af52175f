'use client';

import { useDisplay, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { clockText, dateText } from '#lib/model/clock-text.ts';
import { classNames } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';

/** The moment that is shown, against which every age is measured. Click to change between UTC and local time. */
export function Clock() {
  const { shownAt, isPast } = useDisplay();
  const [{ zone }, change] = usePreferences();
  const other = zone === 'utc' ? 'local time' : 'UTC';
  if (shownAt === undefined) return <span className="text-dim text-table">Clock not known yet</span>;
  return (
    <Tooltip text={`${isPast ? 'The replayed moment' : 'The service’s clock'}. Show ${other}`} shortcut="Z">
      <button
        type="button"
        data-testid="clock"
        aria-label={`${dateText(shownAt, zone)} ${clockText(shownAt, zone)}. Show ${other}`}
        onClick={() => change({ zone: zone === 'utc' ? 'local' : 'utc' })}
        className="flex shrink-0 items-baseline gap-2 rounded-control px-1 font-mono whitespace-nowrap hover:bg-raised compact:flex-col compact:items-start compact:justify-center compact:gap-0 phone:h-11"
      >
        <span className={classNames('font-semibold text-[14px] compact:text-body', isPast && 'text-warning')}>
          {clockText(shownAt, zone)}
        </span>
        <span className="text-caption text-dim compact:text-label">{dateText(shownAt, zone)}</span>
      </button>
    </Tooltip>
  );
}
