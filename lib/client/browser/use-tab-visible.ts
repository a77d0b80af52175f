'use client';

import { focusManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** True while the server renders. */
export function useIsTabVisible(): boolean {
  return useSyncExternalStore(
    (onChange) => focusManager.subscribe(onChange),
    () => focusManager.isFocused(),
    () => true,
  );
}
