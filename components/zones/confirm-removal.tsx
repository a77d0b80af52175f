'use client';

import { useEffect, useRef } from 'react';
import type { Zone } from '#lib/api/watching/zones.ts';
import { Button } from '../ui/button.tsx';

interface ConfirmRemovalProps {
  readonly zone: Zone;
  readonly isBusy: boolean;
  readonly onKeep: () => void;
  readonly onRemove: () => void;
}

export function ConfirmRemoval({ zone, isBusy, onKeep, onRemove }: ConfirmRemovalProps) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // A closing menu returns the focus first.
    const frame = requestAnimationFrame(() => keep.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <div role="alertdialog" aria-label={`Remove ${zone.name}?`} className="flex flex-wrap items-center gap-2 px-4 py-2">
      <span className="min-w-0 flex-1 basis-48">
        Remove “{zone.name}”{zone.shared && ' for every operator'}? Its alarms stay in the log.
      </span>
      <Button ref={keep} onClick={onKeep}>
        Keep
      </Button>
      <Button look="danger" disabled={isBusy} onClick={onRemove}>
        Remove
      </Button>
    </div>
  );
}
