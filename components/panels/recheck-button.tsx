'use client';

import { useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { LAYER_NAME } from '#lib/client/layer-words.ts';
import { useLookout } from '#lib/client/lookout-context.tsx';
import { recheckLayer } from '#lib/client/recheck-layer.ts';
import { STATUS_QUERY_KEY } from '#lib/client/use-status.ts';
import type { ClockZone } from '#lib/model/clock-words.ts';
import type { Layer } from '#lib/model/position.ts';
import { Button } from '../ui/button.tsx';
import { type RecheckNote, recheckBlockedUntilMs, recheckWords } from './recheck-words.ts';

export interface RecheckButtonProps {
  readonly layer: Layer;
  readonly nowMs: number | undefined;
  readonly zone: ClockZone;
  /** What came of the last time. */
  readonly note: RecheckNote | undefined;
  readonly onNote: (note: RecheckNote) => void;
}

/** Has a denied layer tried again now, and says what came of it. */
export function RecheckButton({ layer, nowMs, zone, note, onNote }: RecheckButtonProps) {
  const { feed } = useLookout();
  const queries = useQueryClient();
  const [pending, setPending] = useState(false);
  const waits = pending || (note !== undefined && recheckBlockedUntilMs(note, nowMs) !== undefined);

  const check = async () => {
    setPending(true);
    const outcome = await recheckLayer(layer);
    onNote({ outcome, atMs: feed.nowMs() });
    setPending(false);
    if (outcome.kind === 'asked') await queries.invalidateQueries({ queryKey: STATUS_QUERY_KEY });
  };

  return (
    <div className="flex flex-col gap-1 pl-[18px]">
      {/* Not `disabled`, which would take the focus away from whoever pressed it. */}
      <Button
        aria-disabled={waits}
        className="self-start aria-disabled:cursor-default aria-disabled:opacity-50"
        onClick={() => {
          if (!waits) void check();
        }}
      >
        <RotateCw aria-hidden size={14} />
        {pending ? 'Asking…' : 'Check again now'}
        <span className="sr-only">: {LAYER_NAME[layer]}</span>
      </Button>
      <p role="status" data-testid={`recheck-${layer}`} className="text-caption text-dim empty:hidden">
        {note && recheckWords(note, nowMs, zone)}
      </p>
    </div>
  );
}
