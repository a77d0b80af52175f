'use client';

import { useEffect } from 'react';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { localStore } from '../../browser/storage.ts';
import { readTtl, saveTtl } from '../../replay/saved-ttl.ts';
import { ttlFromLive } from '../../replay/ttl-from-live.ts';
import { useLookout } from '../lookout-context.tsx';

const EVERY_MS = MINUTE_MS;

/** For replays that are opened from a link without a live picture. */
export function useSavedTtl(): void {
  const { feed } = useLookout();
  useEffect(() => {
    let savedAtMs = Number.NEGATIVE_INFINITY;
    return feed.subscribe(() => {
      const nowMs = performance.now();
      if (feed.store.columns.end === 0 || nowMs - savedAtMs < EVERY_MS) return;
      savedAtMs = nowMs;
      saveTtl(localStore, ttlFromLive(feed.store.columns, readTtl(localStore)));
    });
  }, [feed]);
}
