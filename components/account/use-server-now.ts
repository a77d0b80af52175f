'use client';

import { useEffect, useState } from 'react';
import { browserNow, ServerClock } from '#lib/client/live/server-clock.ts';
import { parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

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
