'use client';

import { useSyncExternalStore } from 'react';
import { localStore } from '#lib/client/browser/storage.ts';

export const NOT_REMEMBERED =
  'Nothing is remembered in this browser: it blocks storage for this page, or has no room. Your choices last until the page is closed.';

/** Whether what an operator chooses outlasts the page. */
export function useIsRemembered(): boolean {
  return useSyncExternalStore(localStore.subscribe, localStore.isKept, () => true);
}

export function StorageNote() {
  return !useIsRemembered() && <p className="text-dim">{NOT_REMEMBERED}</p>;
}
