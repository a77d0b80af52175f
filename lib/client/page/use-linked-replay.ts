'use client';

import { useEffect } from 'react';
import { enterReplay } from './enter-replay.ts';
import { useLookout } from './lookout-context.tsx';

/** Opens the replay in the page's address, once the map has drawn. Does not load anything that costs requests. */
export function useLinkedReplay(): void {
  const lookout = useLookout();
  useEffect(() => {
    const { linkedReplay, mapView } = lookout;
    if (!linkedReplay) return;
    const open = () => {
      if (!mapView.get().visible) return;
      stop();
      enterReplay(lookout, linkedReplay);
    };
    const stop = mapView.subscribe(open);
    open();
    return stop;
  }, [lookout]);
}
