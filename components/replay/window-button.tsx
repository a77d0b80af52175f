'use client';

import { CalendarClock } from 'lucide-react';
import { Fragment, lazy, Suspense, useState } from 'react';
import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import { clockRangeText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { Button } from '../ui/button.tsx';
import { Popover } from '../ui/popover.tsx';

const WindowPicker = lazy(() => import('./window-picker.tsx').then((module) => ({ default: module.WindowPicker })));

export function WindowButton({ window }: { readonly window: Window }) {
  const [{ zone }] = usePreferences();
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label="Window of the replay"
      side="top"
      align="start"
      trigger={
        <Button
          data-testid="replay-window"
          className="max-w-full font-mono dock-narrow:whitespace-normal dock-narrow:leading-tight"
        >
          <CalendarClock aria-hidden size={14} className="phone:hidden" />
          <span>
            {clockRangeText(window, zone)
              .split(' ')
              .map((text) => (
                <Fragment key={text}>
                  <span className="whitespace-nowrap">{text}</span>{' '}
                </Fragment>
              ))}
          </span>
          <span className="text-dim dock-narrow:hidden">{durationText(windowLengthMs(window))}</span>
        </Button>
      }
    >
      <Suspense fallback={<p className="text-dim">Opening the calendar</p>}>
        <WindowPicker window={window} onPicked={() => setOpen(false)} />
      </Suspense>
    </Popover>
  );
}
