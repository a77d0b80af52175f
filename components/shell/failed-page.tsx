'use client';

import { useEffect } from 'react';
import { liveAddress } from '#lib/api/address-state.ts';
import { reportPageError } from '#lib/client/page-errors/page-errors.ts';
import { Brand } from '../ui/brand.tsx';
import { CoverageNotice } from '../ui/coverage-notice.tsx';
import { Failure } from '../ui/failure.tsx';

export interface FailedPageProps {
  readonly error: Error & { readonly digest?: string };
  readonly reset: () => void;
}

/** Shows no positions, and says that this does not mean an empty sky. */
export function FailedPage({ error, reset }: FailedPageProps) {
  useEffect(() => reportPageError('page', error), [error]);
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="flex w-[min(480px,100%)] flex-col rounded-card border border-line bg-surface">
        <div className="px-4 pt-4">
          <Brand />
        </div>
        <Failure what="The page" error={error} onRetry={reset}>
          {/* A full page load drops the failed page's state. */}
          <a
            href={typeof window === 'undefined' ? '/' : liveAddress(window.location.search)}
            className="inline-flex h-8 items-center rounded-control px-3 font-semibold text-focus underline phone:h-11"
          >
            Open the live picture
          </a>
        </Failure>
        <p className="px-4 pb-3 font-semibold">No positions are shown; this does not mean that the sky is empty.</p>
        <div className="border-line border-t px-4 py-2">
          <CoverageNotice />
        </div>
      </div>
    </main>
  );
}
