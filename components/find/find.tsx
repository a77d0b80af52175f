'use client';

import { lazy, Suspense, useLayoutEffect, useRef } from 'react';
import type { EarlyKeys } from './find-dialog.tsx';

const FindDialog = lazy(() => import('./find-dialog.tsx').then((module) => ({ default: module.FindDialog })));

/** Keys typed while it loads go into its field and trigger no shortcuts. */
export function Find({ onClose }: { readonly onClose: () => void }) {
  const typed = useRef<EarlyKeys>({ text: '', isEntered: false });
  return (
    <Suspense
      fallback={
        <EarlyField
          onKeys={(keys) => {
            typed.current = keys;
          }}
          onClose={onClose}
        />
      }
    >
      <FindDialog typedEarly={() => typed.current} onClose={onClose} />
    </Suspense>
  );
}

interface EarlyFieldProps {
  readonly onKeys: (keys: EarlyKeys) => void;
  readonly onClose: () => void;
}

function EarlyField({ onKeys, onClose }: EarlyFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <input
      ref={field}
      aria-label="Find"
      maxLength={100}
      onChange={(event) => onKeys({ text: event.target.value, isEntered: false })}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onKeys({ text: event.currentTarget.value, isEntered: true });
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onClose();
      }}
      className="sr-only"
    />
  );
}
