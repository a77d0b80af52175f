'use client';

import { useEffect, useEffectEvent } from 'react';
import { type ShortcutAction, shortcutFor } from './shortcuts.ts';

/** Listens to the keyboard of the whole page. What a dialog or menu took for itself (Esc) is left to it. */
export function useShortcuts(singleKeys: boolean, run: (action: ShortcutAction) => void): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    const modified = event.ctrlKey || event.altKey || event.metaKey;
    const action = shortcutFor({ key: event.key, modified, typing: takesText(event.target) }, singleKeys);
    if (action === undefined) return;
    event.preventDefault();
    run(action);
  });

  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
}

function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input, textarea, select');
}
