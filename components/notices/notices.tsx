'use client';

import { X } from 'lucide-react';
import { useState } from 'react';
import { useDisplay, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { signInAddress } from '#lib/client/request/sign-in-address.ts';
import { allSimulated } from '#lib/picture/all-simulated.ts';
import { classNames } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { noticeText } from './notice-text.ts';
import { replayTimeText } from './replay-time-text.ts';

export interface NoticesProps {
  /** An extra line, such as what happened while the tab was hidden. */
  readonly note: string | undefined;
  /** Whether the layer states are shown over the map, on the right. */
  readonly besideStates: boolean;
}

const plate = 'pointer-events-auto flex max-w-full items-center gap-2 rounded-control border bg-surface px-3 py-1.5';

/** What the operator must know about the picture, shown over the map while it applies. */
export function Notices({ note, besideStates }: NoticesProps) {
  const { display } = useLookout();
  const summary = useDisplay();
  const [{ zone }] = usePreferences();
  return (
    <div
      role="status"
      className={classNames(
        'pointer-events-none absolute top-3 left-16 z-10 flex flex-col items-center gap-2 text-body',
        'phone:top-2 phone:right-2 phone:text-table',
        besideStates ? 'right-[328px]' : 'right-16',
      )}
    >
      <ReplayPlate />
      {noticeText(summary, zone).map(({ key, tone, sentence, signIn }) => (
        <p
          key={key}
          data-testid={`notice-${key}`}
          className={classNames(plate, tone === 'bad' ? 'border-bad' : 'border-warning')}
        >
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
      {allSimulated(display.picture()) && (
        <p data-testid="notice-all-simulated" className={classNames(plate, 'border-edge font-semibold')}>
          All traffic shown is simulated
        </p>
      )}
      <IgnoredNotice className={classNames(plate, 'border-edge text-dim')} />
      {note !== undefined && (
        <p data-testid="notice-note" className={classNames(plate, 'border-edge text-dim')}>
          {note}
        </p>
      )}
    </div>
  );
}

/** Lists the URL parameters that were ignored, until dismissed; the rest of the link is applied. */
function IgnoredNotice({ className }: { readonly className: string }) {
  const { ignoredParameters } = useLookout();
  const [open, setOpen] = useState(ignoredParameters.length > 0);
  if (!open) return null;
  return (
    <div data-testid="notice-ignored" className={className}>
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

/** Shows over the map that the picture is a replay, and its time. */
function ReplayPlate() {
  const { shownAt, now, isPast } = useDisplay();
  const [{ zone }] = usePreferences();
  if (!isPast || shownAt === undefined) return null;
  return (
    <p
      data-testid="replay-plate"
      className="rounded-card border-2 border-warning bg-surface px-4 py-1.5 text-center font-mono font-semibold text-[16px] text-warning phone:px-3 phone:text-body"
    >
      REPLAY {replayTimeText(shownAt, now, zone)}
    </p>
  );
}
