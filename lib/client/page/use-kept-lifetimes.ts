'use client';

import { useEffect } from 'react';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { keepLifetimes, readLifetimes } from '../replay/kept-lifetimes.ts';
import { lifetimesFromLive } from '../replay/lifetimes-from-live.ts';
import { useLookout } from './lookout-context.tsx';

/** A service does not change its mind often. */
const EVERY_MS = MINUTE_MS;

/** Keeps how long this service lets positions live, for a link into the past that is opened without a live picture. */
export function useKeptLifetimes(): void {
  const { feed } = useLookout();
  useEffect(() => {
    let keptAtMs = Number.NEGATIVE_INFINITY;
    return feed.subscribe(() => {
      const nowMs = performance.now();
      if (feed.store.columns.end === 0 || nowMs - keptAtMs < EVERY_MS) return;
      keptAtMs = nowMs;
      const { localStorage } = window;
      keepLifetimes(localStorage, lifetimesFromLive(feed.store.columns, readLifetimes(localStorage)));
    });
  }, [feed]);
}
