import { useEffect, useEffectEvent } from 'react';

interface KeyEvent {
  readonly key: string;
  /** The key's position, named after a US keyboard. */
  readonly code: string;
  /** Whether AltGr is pressed, which composes characters; Windows reports it as Ctrl and Alt together. */
  readonly altGraph: boolean;
  readonly isComposing: boolean;
}

/** A character of a non-Latin script. */
const NON_LATIN = /^(?!\p{Script=Latin}|\p{Script=Common})[\p{L}\p{M}]/u;

/** Letterless US keys in whose position other scripts have letters. */
const AT_POSITION: Readonly<Record<string, string>> = {
  BracketLeft: '[',
  BracketRight: ']',
  Slash: '/',
  Minus: '-',
  Equal: '=',
};

/** For non-Latin letters, the US key in the same position; `undefined` for dead keys, AltGr and input methods. */
export function pressedKey({ key, code, altGraph, isComposing }: KeyEvent): string | undefined {
  if (altGraph || isComposing || key === 'Dead' || key === 'Process' || key === 'Unidentified') return undefined;
  if (NON_LATIN.test(key)) return atPosition(code) ?? key.toLowerCase();
  // Russian, Hebrew and Bulgarian layouts type a full stop or a comma where a US keyboard has the slash.
  if (code === 'Slash' && (key === '.' || key === ',')) return '/';
  return key.toLowerCase();
}

export function isNonLatin(typed: string): boolean {
  return NON_LATIN.test(typed);
}

/** The US position of `key`, a lower-case letter or one of `AT_POSITION`. */
export function positionOf(key: string): string | undefined {
  if (/^[a-z]$/.test(key)) return `Key${key.toUpperCase()}`;
  return Object.keys(AT_POSITION).find((code) => AT_POSITION[code] === key);
}

function atPosition(code: string): string | undefined {
  return /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : AT_POSITION[code];
}

/** The key of an event; `undefined` where a dialog or menu has handled it, or it is none. */
export function keyOfEvent(event: KeyboardEvent): string | undefined {
  if (event.defaultPrevented) return undefined;
  const { key, code, isComposing } = event;
  return pressedKey({ key, code, isComposing, altGraph: event.getModifierState('AltGraph') });
}

export function isModified({ ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  return ctrlKey || altKey || metaKey;
}

export function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input, textarea, select');
}

/**
 * A key of a page without the map, where it is not typed into a field.
 * @param isOn whether the page has it, and single keys are not switched off
 */
export function usePageKey(key: string, isOn: boolean, run: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!isOn || isModified(event) || isTextField(event.target) || keyOfEvent(event) !== key) return;
    event.preventDefault();
    run();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
}
