'use client';

import { memo } from 'react';
import { worstMinute } from '#lib/client/replay/replay-progress.ts';
import type { MinuteState } from '#lib/client/replay/replay-summary.ts';
import { shortClockText } from '#lib/model/clock-text.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { minuteRuns } from './minute-runs.ts';
import { MINUTE_LABEL } from './minute-text.ts';

export interface CompletenessBandProps {
  readonly label: string;
  readonly leadIn: readonly MinuteState[];
  readonly minutes: readonly MinuteState[];
  readonly window: Window;
}

/** Minutes of a layer, with its lead-in to the left. */
export const CompletenessBand = memo(function CompletenessBand({
  label,
  leadIn,
  minutes,
  window,
}: CompletenessBandProps) {
  const lengthMs = windowLengthMs(window);
  const runs = minuteRuns(minutes, window);
  const before = worstMinute(leadIn);
  const beforeText = before && `Lead-in, ${leadIn.length} min before the window: ${MINUTE_LABEL[before]}`;
  return (
    <ol aria-label={label} className="relative h-2">
      {before && (
        <li className="band absolute inset-y-0 -left-2.5 w-2" data-lead-in data-state={before} title={beforeText}>
          <span className="sr-only">{beforeText}</span>
        </li>
      )}
      {runs.map(({ state, startMs, endMs }) => (
        <li
          key={startMs}
          className="band absolute inset-y-0"
          data-state={state}
          data-start={new Date(startMs).toISOString()}
          data-end={new Date(endMs).toISOString()}
          style={{
            left: `${((startMs - epochMs(window.start)) / lengthMs) * 100}%`,
            width: `${((endMs - startMs) / lengthMs) * 100}%`,
          }}
        >
          <span className="sr-only">{`${shortClockText(upstreamInstant(startMs), 'utc')} to ${shortClockText(upstreamInstant(endMs), 'utc')}: ${MINUTE_LABEL[state]}`}</span>
        </li>
      ))}
    </ol>
  );
});
