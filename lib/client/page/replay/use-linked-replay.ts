'use client';

import { useEffect } from 'react';
import { sessionStore } from '../../browser/storage.ts';
import { useLookout } from '../lookout-context.tsx';
import { isReload } from '../use-window-state.ts';
import { enterReplay } from './enter-replay.ts';
import { storedLoad } from './stored-load.ts';

/** Once the map has drawn; a load that a reload broke off goes on within its accepted price. */
export function useLinkedReplay(): void {
  const lookout = useLookout();
  useEffect(() => {
    const { linkedReplay, mapView } = lookout;
    if (!linkedReplay) return;
    const acceptedMax = isReload() ? storedLoad(sessionStore, linkedReplay.window) : undefined;
    const open = () => {
      if (!mapView.get().visible) return;
      stop();
      enterReplay(lookout, { ...linkedReplay, acceptedMax });
    };
    const stop = mapView.subscribe(open);
    open();
    return stop;
  }, [lookout]);
}
