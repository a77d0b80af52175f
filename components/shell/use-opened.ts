'use client';

import { useEffect, useState } from 'react';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';

/** How long what lies beside the map waits for one that draws nothing, and does not say why. */
const WAIT_MS = 8000;

/**
 * True from the first marks on, or once it is known that there are none to wait for: the code of what lies beside the map is loaded after them. A
 * linked replay needs its bar at once.
 */
export function useOpened(): boolean {
  const { display, linkedReplay, mapShown } = useLookout();
  const isShown = useValue(mapShown);
  const [isWaiting, setWaiting] = useState(linkedReplay === undefined);
  useEffect(() => {
    if (isShown || !isWaiting) return;
    const end = () => setWaiting(false);
    const timer = setTimeout(end, WAIT_MS);
    const unsubscribe = display.subscribe(() => {
      const { connection, filtered } = display.summary();
      if (connection.kind !== 'connecting' && filtered.shown === 0) end();
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [isShown, isWaiting, display]);
  return isShown || !isWaiting;
}
