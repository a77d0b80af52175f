'use client';

import { useEffect, useState } from 'react';
import { isNonLatin, positionOf } from './pressed-key.ts';

/** The part of the Keyboard API that Chromium browsers have; others report nothing. */
interface KeyboardLayouts {
  readonly getLayoutMap?: () => Promise<ReadonlyMap<string, string>>;
}

/**
 * @returns what the user's keyboard types in the position of a key, in upper case; `undefined` where it types Latin letters or the
 * browser doesn't report it
 */
export function useOwnLetters(): (key: string) => string | undefined {
  const [layout, setLayout] = useState<ReadonlyMap<string, string>>();
  useEffect(() => {
    const { keyboard } = navigator as Navigator & { readonly keyboard?: KeyboardLayouts };
    let isLeft = false;
    keyboard?.getLayoutMap?.().then(
      (map) => {
        if (!isLeft) setLayout(map);
      },
      // A page in a frame may not read it: the help then shows Latin letters.
      () => undefined,
    );
    return () => {
      isLeft = true;
    };
  }, []);
  return (key) => {
    const position = positionOf(key);
    const typed = position === undefined ? undefined : layout?.get(position);
    return typed !== undefined && isNonLatin(typed) ? typed.toUpperCase() : undefined;
  };
}
