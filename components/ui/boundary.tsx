'use client';

import type { ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { reportPageError } from '#lib/client/page-errors/page-errors.ts';
import { Failure } from './failure.tsx';

export interface BoundaryProps {
  readonly what: string;
  readonly wayOut?: ReactNode;
  /** A change renders the contents again. */
  readonly resetKey?: unknown;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Contains a failure of its children: everything around them keeps working. */
export function Boundary({ what, wayOut, resetKey, className, children }: BoundaryProps) {
  return (
    <ErrorBoundary
      resetKeys={[resetKey]}
      onError={(error) => reportPageError('part', error)}
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
