'use client';

import { useEffect, useEffectEvent } from 'react';
import { pressedKey } from './pressed-key.ts';
import { type ShortcutAction, type ShortcutMode, shortcutFor } from './shortcuts.ts';

/** Listens for keys on the whole page. Events that a dialog or menu has handled, such as Esc, are ignored. */
export function useShortcuts(mode: ShortcutMode, run: (action: ShortcutAction) => void): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    const modified = event.ctrlKey || event.altKey || event.metaKey;
    const { code, isComposing, shiftKey: shift, target } = event;
    const key = pressedKey({ key: event.key, code, isComposing, altGraph: event.getModifierState('AltGraph') });
    if (key === undefined) return;
    const commanded = (event.ctrlKey || event.metaKey) && !event.altKey && !shift;
    const press = { key, modified, commanded, shift, typing: isTextField(target), onControl: isControl(target) };
    const action = shortcutFor(press, mode);
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

function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input, textarea, select');
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('button, a, summary, [role="switch"], [role="row"]') !== null;
}
