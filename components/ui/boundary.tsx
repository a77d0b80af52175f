'use client';

import type { ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { Failure } from './failure.tsx';

export interface BoundaryProps {
  /** Name of the contents, as the start of a sentence: `The panel`. */
  readonly what: string;
  /** Further actions besides trying again. */
  readonly wayOut?: ReactNode;
  /** When it changes, the contents are rendered again. */
  readonly resetKey?: unknown;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Contains a failure of its children: everything around them keeps working. */
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
