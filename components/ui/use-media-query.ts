'use client';

import { useCallback, useSyncExternalStore } from 'react';

/** The last matches on screen. Paper has another width, and a page is printed as it is on screen. */
const onScreen = new Map<string, boolean>();

function matches(query: string): boolean {
  const known = onScreen.get(query);
  if (known !== undefined && window.matchMedia('print').matches) return known;
  const found = window.matchMedia(query).matches;
  onScreen.set(query, found);
  return found;
}

export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(
    subscribe,
    () => matches(query),
    () => false,
  );
}
