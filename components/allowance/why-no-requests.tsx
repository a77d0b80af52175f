'use client';

import { RotateCw } from 'lucide-react';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { useMay } from '#lib/client/page/use-may.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { Button } from '../ui/button.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { MAY_NOT_RECHECK, recheckBlockedUntil, recheckText } from './recheck-text.ts';
import { type Recheck, useRecheck } from './use-recheck.ts';
import type { AccessText, Rechecked } from './why-no-requests-text.ts';

export interface WhyNoRequestsProps {
  readonly problems: readonly AccessText[];
  readonly now: UpstreamInstant | undefined;
  readonly zone: ClockZone;
}

/** Renders nothing without problems. */
export function WhyNoRequests({ problems, now, zone }: WhyNoRequestsProps) {
  // Not in the row: a layer leaves the list while it is checked.
  const rechecks = { rid: useRecheck('rid'), adsb: useRecheck('adsb'), account: useRecheck('account') };
  const may = { layer: useMay('spend'), account: useMay('administer') };
  const mayCheck = (what: Rechecked) => (what === 'account' ? may.account : may.layer);
  if (problems.length === 0) return null;
  return (
    <ul aria-label="Access problems" className="flex flex-col gap-3">
      {problems.map(({ key, tone, sentence, recheck }) => (
        <li key={key} className="flex flex-col items-start gap-2">
          <p data-testid={`standing-${key}`} className="flex items-baseline gap-2">
            <ToneMark tone={tone} />
            <span>{sentence}.</span>
          </p>
          {recheck !== undefined && !mayCheck(recheck) && (
            <p className="pl-[18px] text-caption text-dim">{MAY_NOT_RECHECK}</p>
          )}
          {recheck !== undefined && mayCheck(recheck) && (
            <RecheckButton what={recheck} recheck={rechecks[recheck]} now={now} zone={zone} />
          )}
        </li>
      ))}
    </ul>
  );
}

interface RecheckButtonProps {
  readonly what: Rechecked;
  readonly recheck: Recheck;
  readonly now: UpstreamInstant | undefined;
  readonly zone: ClockZone;
}

function RecheckButton({ what, recheck: { isPending, note, request }, now, zone }: RecheckButtonProps) {
  const isBlocked = isPending || (note !== undefined && recheckBlockedUntil(note, now) !== undefined);
  return (
    <div className="flex flex-col gap-1 pl-[18px]">
      {/* Not `disabled`: the pressed button would lose the focus. */}
      <Button
        aria-disabled={isBlocked}
        className="self-start aria-disabled:cursor-default aria-disabled:opacity-50"
        onClick={() => {
          if (!isBlocked) request();
        }}
      >
        <RotateCw aria-hidden size={14} />
        {isPending ? 'Checking…' : 'Check again now'}
        <span className="sr-only">: {what === 'account' ? 'all layers' : LAYER_NAME[what]}</span>
      </Button>
      <p role="status" data-testid={`recheck-${what}`} className="text-caption text-dim empty:hidden">
        {note && recheckText(note, now, zone)}
      </p>
    </div>
  );
}
