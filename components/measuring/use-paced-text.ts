'use client';

import { useEffect, useRef, useState } from 'react';

/**
 * A text to be read out: at once when `occasion` changes, which is what the operator did; otherwise the latest of it, at most every
 * `everyMs`, so that one can listen to it.
 */
export function usePacedText(text: string, occasion: string, everyMs: number): string {
  const [said, setSaid] = useState({ text, occasion });
  const latest = useRef(text);
  latest.current = text;

  useEffect(() => setSaid({ text: latest.current, occasion }), [occasion]);

  const isBehind = said.text !== text;
  useEffect(() => {
    if (!isBehind) return;
    const timer = setTimeout(() => setSaid((before) => ({ ...before, text: latest.current })), everyMs);
    return () => clearTimeout(timer);
  }, [isBehind, everyMs]);

  return said.text;
}
