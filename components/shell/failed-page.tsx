'use client';

import { useEffect, useState } from 'react';
import { reportPageError } from '#lib/client/page-errors/page-errors.ts';
import { Brand } from '../ui/brand.tsx';
import { LinkButton } from '../ui/button.tsx';
import { CoverageNotice } from '../ui/coverage-notice.tsx';
import { Failure } from '../ui/failure.tsx';

export interface FailedPageProps {
  readonly error: Error & { readonly digest?: string };
  readonly reset: () => void;
}

/** Shows no positions, and says that this does not mean an empty sky. */
export function FailedPage({ error, reset }: FailedPageProps) {
  const [address, setAddress] = useState('/');
  useEffect(() => reportPageError('page', error), [error]);
  useEffect(() => {
    // Every page loads this page's code at its start: it has no code of addresses.
    import('#lib/api/address-state.ts').then(
      ({ liveAddress }) => setAddress(liveAddress(window.location.search)),
      () => undefined,
    );
  }, []);
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="flex w-[min(480px,100%)] flex-col rounded-card border border-line bg-surface">
        <div className="px-4 pt-4">
          <Brand />
        </div>
        <Failure what="The page" error={error} onRetry={reset}>
          {/* A full page load drops the failed page's state. */}
          <LinkButton href={address}>Open the live picture</LinkButton>
        </Failure>
        <p className="px-4 pb-3 font-semibold">No positions are shown; this does not mean that the sky is empty.</p>
        <div className="border-line border-t px-4 py-2">
          <CoverageNotice />
        </div>
      </div>
    </main>
  );
}
