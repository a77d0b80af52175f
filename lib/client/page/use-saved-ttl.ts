'use client';

import { useEffect } from 'react';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { readTtl, saveTtl } from '../replay/saved-ttl.ts';
import { ttlFromLive } from '../replay/ttl-from-live.ts';
import { useLookout } from './lookout-context.tsx';

/** A service does not change its mind often. */
const EVERY_MS = MINUTE_MS;

/** Keeps how long this service lets positions live, for a link into the past that is opened without a live picture. */
export function useSavedTtl(): void {
  const { feed } = useLookout();
  useEffect(() => {
    let keptAtMs = Number.NEGATIVE_INFINITY;
    return feed.subscribe(() => {
      const nowMs = performance.now();
      if (feed.store.columns.end === 0 || nowMs - keptAtMs < EVERY_MS) return;
      keptAtMs = nowMs;
      const { localStorage } = window;
      saveTtl(localStorage, ttlFromLive(feed.store.columns, readTtl(localStorage)));
    });
  }, [feed]);
}
