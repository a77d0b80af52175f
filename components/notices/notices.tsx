'use client';

import { X } from 'lucide-react';
import { useState } from 'react';
import { useDisplay, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { signInAddress } from '#lib/client/request/sign-in-address.ts';
import { classNames } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { allSimulated } from './all-simulated.ts';
import { noticeText } from './notice-text.ts';
import { replayTimeText } from './replay-time-text.ts';

export interface NoticesProps {
  /** One more line, such as what was done while the tab was hidden. */
  readonly note: string | undefined;
  /** Whether the state of the layers lies on the map, to the right. */
  readonly besideStates: boolean;
}

const plate = 'pointer-events-auto flex max-w-full items-center gap-2 rounded-control border bg-surface px-3 py-1.5';

/** What must be known of the picture, over the map for as long as it is so. */
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

/** Says which parameters of the address were ignored, until it is put away: the rest of the link holds. */
function IgnoredNotice({ className }: { readonly className: string }) {
  const { ignoredParameters } = useLookout();
  const [open, setOpen] = useState(ignoredParameters.length > 0);
  if (!open) return null;
  return (
    <div data-testid="notice-ignored" className={className}>
      <p>Ignored in the address, as unknown or broken: {ignoredParameters.join(', ')}.</p>
      <IconButton
        look="quiet"
        shape="small-icon"
        label="Put this notice away"
        icon={<X />}
        onClick={() => setOpen(false)}
      />
    </div>
  );
}

/** Says over the map, for as long as it is so, that a past moment is shown and which. */
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
