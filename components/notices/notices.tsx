'use client';

import { X } from 'lucide-react';
import { useState } from 'react';
import { useDisplay, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { regionMapProblem } from '#lib/client/page/region-map.ts';
import { signInAddress } from '#lib/client/request/sign-in-address.ts';
import { allSimulated } from '#lib/picture/all-simulated.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { noticeText } from './notice-text.ts';
import { replayTimeText } from './replay-time-text.ts';

export interface NoticesProps {
  /** An extra line, such as what happened while the tab was hidden. */
  readonly note: string | undefined;
}

/** What the operator must know about the picture, shown above the map while it applies. */
export function Notices({ note }: NoticesProps) {
  const { display } = useLookout();
  const summary = useDisplay();
  const [{ zone }] = usePreferences();
  return (
    <>
      <ReplayPlate />
      <div role="status" className="contents">
        {allSimulated(display.picture()) && (
          <p data-testid="notice-all-simulated" className="strip-line font-semibold">
            All traffic shown is simulated
          </p>
        )}
        {noticeText(summary, zone).map(({ key, tone, sentence, signIn }) => (
          <p key={key} data-testid={`notice-${key}`} className="strip-line">
            <ToneMark tone={tone} />
            <span>
              {sentence}
              {signIn && (
                <a className="ml-2 font-semibold text-focus underline" href={signInAddress()}>
                  Sign in again
                </a>
              )}
            </span>
          </p>
        ))}
        <MapNotice />
        <IgnoredNotice />
        {note !== undefined && (
          <p data-testid="notice-note" className="strip-line text-dim">
            {note}
          </p>
        )}
      </div>
    </>
  );
}

/** Why the chosen map of one's own region is not drawn, or not all of it. */
function MapNotice() {
  const state = useValue(useLookout().regionMap);
  if (state.kind !== 'failed') return null;
  return (
    <p data-testid="notice-map" className="strip-line">
      <ToneMark tone="warning" />
      <span>{regionMapProblem(state)}</span>
    </p>
  );
}

/** Lists the URL parameters that were ignored, until dismissed; the rest of the link is applied. */
function IgnoredNotice() {
  const { ignoredParameters } = useLookout();
  const [open, setOpen] = useState(ignoredParameters.length > 0);
  if (!open) return null;
  return (
    <div data-testid="notice-ignored" className="strip-line text-dim">
      <p>Ignored in the address (unknown or invalid): {ignoredParameters.join(', ')}.</p>
      <IconButton
        look="quiet"
        shape="small-icon"
        label="Dismiss this notice"
        icon={<X />}
        onClick={() => setOpen(false)}
      />
    </div>
  );
}

/** Says that the picture is a replay, and its time; not to screen readers with every second, as the clock has it. */
function ReplayPlate() {
  const { shownAt, now, isPast } = useDisplay();
  const [{ zone }] = usePreferences();
  if (!isPast || shownAt === undefined) return null;
  return (
    <p
      data-testid="replay-plate"
      className="strip-line rounded-control bg-warning px-3 py-0.5 font-mono font-semibold text-[15px] text-surface phone:text-body"
    >
      REPLAY {replayTimeText(shownAt, now, zone)}
    </p>
  );
}
