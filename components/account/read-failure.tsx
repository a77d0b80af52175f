'use client';

import type { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { signInAddress } from '#lib/client/request/refusal-message.ts';
import { refusalText } from './account-text.ts';
import { ClosedCard } from './closed-card.tsx';

export function ReadFailure({ error }: { readonly error: LookoutRequestError }) {
  if (error.code === 'not_permitted') return <ClosedCard>{refusalText(error)}</ClosedCard>;
  return (
    <p role="alert" className="text-bad">
      {error.kind === 'signed-out' ? 'Your session has ended.' : refusalText(error)}
      {error.kind === 'signed-out' && (
        <>
          {' '}
          <a href={signInAddress()} className="font-semibold text-focus underline">
            Sign in again
          </a>
        </>
      )}
    </p>
  );
}

export function staysShown(error: LookoutRequestError | null): boolean {
  return error?.code !== 'not_permitted' && error?.kind !== 'signed-out';
}
