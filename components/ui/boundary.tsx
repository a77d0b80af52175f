'use client';

import type { ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { Failure } from './failure.tsx';

export interface BoundaryProps {
  /** What stands inside, as the start of a sentence: `The panel`. */
  readonly what: string;
  /** Further ways out, beside trying again. */
  readonly wayOut?: ReactNode;
  /** When it changes, what stands inside is tried again. */
  readonly resetKey?: unknown;
  /** Of what is shown in place of it. */
  readonly className?: string;
  readonly children: ReactNode;
}

/** A part of the page that may fail by itself: everything around it goes on. */
export function Boundary({ what, wayOut, resetKey, className, children }: BoundaryProps) {
  return (
    <ErrorBoundary
      resetKeys={[resetKey]}
      fallbackRender={({ error, resetErrorBoundary }) => (
        <Failure what={what} error={error} onRetry={resetErrorBoundary} className={className}>
          {wayOut}
        </Failure>
      )}
    >
      {children}
    </ErrorBoundary>
  );
}
