'use client';

import { RotateCw, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { reportPageError } from '#lib/client/page-errors/page-errors.ts';
import { NO_ANSWER } from '#lib/client/request/refusal-message.ts';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';

interface BoundaryProps {
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

interface FailureProps {
  readonly what: string;
  readonly error: unknown;
  readonly onRetry: () => void;
  /** Further actions besides trying again. */
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export const NOT_LOADED = `could not be loaded: ${NO_ANSWER}, or it has another version by now. Reload the page.`;

/** Code that did not load needs a new page: React caches the failure. */
export function Failure({ what, error, onRetry, children, className }: FailureProps) {
  const isMissing = error instanceof Error && error.name === 'ChunkLoadError';
  return (
    <div role="alert" data-testid="failure" className={classNames('flex flex-col items-start gap-2 p-4', className)}>
      <p className="flex items-center gap-2 font-semibold text-bad">
        <TriangleAlert aria-hidden size={14} />
        {what} {isMissing ? NOT_LOADED : 'failed. This is a defect in Lookout.'}
      </p>
      {!isMissing && (
        <p className="text-dim">
          Error <code data-testid="failure-id">{errorId(error)}</code>: {messageOf(error)}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {isMissing ? <ReloadButton /> : <Button onClick={onRetry}>Try again</Button>}
        {children}
      </div>
    </div>
  );
}

/**
 * A server error's digest, as in its log; in the browser 8 hexadecimal digits of message and place, the same
 * everywhere.
 */
export function errorId(error: unknown): string {
  if (error instanceof Error && 'digest' in error && typeof error.digest === 'string') return error.digest;
  const thrownAt = error instanceof Error ? (error.stack?.split('\n').find((line) => /:\d+:\d+/.test(line)) ?? '') : '';
  let hash = 0x811c9dc5;
  for (const character of `${messageOf(error)}${thrownAt}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Helps against failures of the page itself: a reload requests its code. */
export function ReloadButton() {
  return (
    <Button onClick={() => window.location.reload()}>
      <RotateCw aria-hidden size={14} />
      Reload the page
    </Button>
  );
}
