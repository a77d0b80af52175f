'use client';

import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Overlay } from '#lib/api/overlay.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { seenByText } from './overlays-text.ts';
import type { OverlayList } from './use-overlays.ts';

/** One overlay: its switch hides it in this browser; its owner can remove it. */
export function OverlayRow({ overlay, list }: { readonly overlay: Overlay; readonly list: OverlayList }) {
  const { operator } = useLookout();
  const [isAsking, setAsking] = useState(false);
  const keep = useRef<HTMLButtonElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const wasAsked = useRef(false);
  useEffect(() => {
    // The button that had the focus is gone.
    if (isAsking) keep.current?.focus();
    else if (wasAsked.current) opener.current?.focus();
    wasAsked.current = isAsking;
  }, [isAsking]);
  if (isAsking)
    return (
      <div role="alertdialog" aria-label={`Remove ${overlay.name}?`} className="flex flex-wrap items-center gap-2 py-1">
        <span className="min-w-0 flex-1 basis-40">
          Remove “{overlay.name}”{overlay.shared && ', also for everybody else'}?
        </span>
        <Button ref={keep} onClick={() => setAsking(false)}>
          Keep
        </Button>
        <Button onClick={() => list.remove(overlay)}>Remove</Button>
      </div>
    );
  return (
    <div className="flex items-center gap-2 py-1">
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <SwitchRow
          label={overlay.name}
          note={seenByText(overlay, operator !== undefined)}
          checked={list.isShown(overlay)}
          onChange={(shown) => list.show(overlay, shown)}
        />
      </div>
      {overlay.mine && (
        <IconButton
          ref={opener}
          label={`Remove ${overlay.name}`}
          icon={<X />}
          look="quiet"
          onClick={() => setAsking(true)}
        />
      )}
    </div>
  );
}
