'use client';

import type { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { signInAddress } from '#lib/client/request/refusal-message.ts';
import { ClosedCard } from '../frame/page-frame.tsx';
import { refusalText } from './account-text.ts';

/** Why a part of a page could not be read, and the way out. */
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

/** Whether what was read before may stay on the page. */
export function staysShown(error: LookoutRequestError | null): boolean {
  return error?.code !== 'not_permitted' && error?.kind !== 'signed-out';
}
