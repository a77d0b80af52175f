'use client';

import type { ClockZone } from '#lib/model/clock-text.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { ToneMark } from '../ui/tone-mark.tsx';
import type { AccessText } from './access-text.ts';
import { RecheckButton } from './recheck-button.tsx';
import { useRecheck } from './use-recheck.ts';

export interface AccessListProps {
  readonly standing: readonly AccessText[];
  readonly now: UpstreamInstant | undefined;
  readonly zone: ClockZone;
}

/** What keeps Lookout from asking, and what can be done about it. Nothing where all is in order. */
export function AccessList({ standing, now, zone }: AccessListProps) {
  // A layer that is being tried again leaves the list for a moment: what came of it must not go with it.
  const rechecks = { rid: useRecheck('rid'), adsb: useRecheck('adsb') };
  if (standing.length === 0) return null;
  return (
    <ul aria-label="What is held or refused" className="flex flex-col gap-3">
      {standing.map(({ key, tone, sentence, recheck }) => (
        <li key={key} className="flex flex-col items-start gap-2">
          <p data-testid={`standing-${key}`} className="flex items-baseline gap-2">
            <ToneMark tone={tone} />
            <span>{sentence}.</span>
          </p>
          {recheck !== undefined && <RecheckButton layer={recheck} recheck={rechecks[recheck]} now={now} zone={zone} />}
        </li>
      ))}
    </ul>
  );
}
