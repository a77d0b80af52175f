'use client';

import { useEffect, useState } from 'react';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';

/** For a map that neither draws nor reports a problem. */
const WAIT_MS = 8000;

/**
 * True once the first marks are drawn, or none will be: panels then load their code. A linked replay needs its bar at
 * once.
 */
export function useOpened(): boolean {
  const { display, link, mapShown } = useLookout();
  const isShown = useValue(mapShown);
  const [isWaiting, setWaiting] = useState(link.replay === undefined);
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
