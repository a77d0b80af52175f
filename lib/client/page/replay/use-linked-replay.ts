'use client';

import { useEffect } from 'react';
import { useLookout } from '../lookout-context.tsx';
import { isReload } from '../use-window-state.ts';
import { enterReplay } from './enter-replay.ts';
import { storedLoad } from './stored-load.ts';

/**
 * Opens the replay in the page's address, once the map has drawn. A load that a reload of the page broke off goes on within the price that was
 * accepted for it.
 */
export function useLinkedReplay(): void {
  const lookout = useLookout();
  useEffect(() => {
    const { linkedReplay, mapView } = lookout;
    if (!linkedReplay) return;
    const acceptedMax = isReload() ? storedLoad(window.sessionStorage, linkedReplay.window) : undefined;
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
