'use client';

import { useEffect, useEffectEvent, useRef } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';

export interface TimelineCursorProps {
  readonly window: Window;
  readonly valueText: (at: UpstreamInstant) => string;
}

export function TimelineCursor({ window, valueText }: TimelineCursorProps) {
  const { replay } = useLookout();
  const line = useRef<HTMLDivElement>(null);

  const update = useEffectEvent(() => {
    const element = line.current;
    const summary = replay.summary();
    if (!element || !summary) return;
    const { cursor } = summary.playback;
    element.style.left = `${(msBetween(window.start, cursor) / windowLengthMs(window)) * 100}%`;
    element.dataset.waiting = String(summary.isWaiting);
    const announced = valueText(cursor);
    if (element.getAttribute('aria-valuetext') === announced) return;
    element.setAttribute('aria-valuetext', announced);
    element.setAttribute('aria-valuenow', String(Math.round(msBetween(window.start, cursor) / 1000)));
  });
  useEffect(() => {
    update();
    return replay.subscribe(() => update());
  }, [replay]);

  return (
    <div
      ref={line}
      className="replay-cursor"
      data-testid="replay-cursor"
      role="slider"
      tabIndex={0}
      aria-label="Replay time"
      aria-valuemin={0}
      aria-valuemax={Math.round(windowLengthMs(window) / 1000)}
      aria-valuenow={0}
    />
  );
}
