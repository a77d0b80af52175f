'use client';

import { useEffect, useState } from 'react';
import { browserNow, ServerClock } from '#lib/client/live/server-clock.ts';
import type { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { signInAddress } from '#lib/client/request/refusal-message.ts';
import { parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
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

export function useServerNow(asOf: string | undefined): UpstreamInstant | undefined {
  const [clock] = useState(() => new ServerClock({ monotonicMs: () => performance.now(), wallNow: browserNow }));
  const [now, setNow] = useState<UpstreamInstant>();
  useEffect(() => {
    const at = asOf === undefined ? undefined : parseInstant(asOf);
    if (at === undefined) return;
    clock.sync(at, 0);
    const tick = () => setNow(clock.now());
    tick();
    const ticking = setInterval(tick, SECOND_MS);
    return () => clearInterval(ticking);
  }, [clock, asOf]);
  return now;
}
