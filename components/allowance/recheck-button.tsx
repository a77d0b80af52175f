'use client';

import { RotateCw } from 'lucide-react';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { Button } from '../ui/button.tsx';
import type { Rechecked } from './access-text.ts';
import { recheckBlockedUntil, recheckText } from './recheck-text.ts';
import type { Recheck } from './use-recheck.ts';

export interface RecheckButtonProps {
  readonly what: Rechecked;
  readonly recheck: Recheck;
  readonly now: UpstreamInstant | undefined;
  readonly zone: ClockZone;
}

export function RecheckButton({ what, recheck: { isPending, note, request }, now, zone }: RecheckButtonProps) {
  const isBlocked = isPending || (note !== undefined && recheckBlockedUntil(note, now) !== undefined);
  return (
    <div className="flex flex-col gap-1 pl-[18px]">
      {/* Not `disabled`: the button that was just pressed would lose the focus. */}
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
