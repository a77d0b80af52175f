'use client';

import { useEffect, useState } from 'react';
import { clockWords } from '#lib/model/clock-words.ts';
import { durationWords } from '#lib/model/duration-words.ts';
import { useLookout } from './lookout-context.tsx';

/** A tab that was hidden for less was hardly away. */
const WORTH_SAYING_MS = 10_000;
const SHOWN_MS = 12_000;

/** After a time in a hidden tab, in which nothing was asked for: how long that was, and that the picture is current again. */
export function useCatchUpNote(): string | undefined {
  const { feed, preferences } = useLookout();
  const [note, setNote] = useState<string>();

  useEffect(() => {
    let hiddenSinceMs: number | undefined;
    let stopWaiting = () => {};
    let timer: ReturnType<typeof setTimeout> | undefined;

    const caughtUp = (pausedMs: number, readBeforeMs: number) => {
      const read = feed.latest?.asOfMs;
      if (read === undefined || read <= readBeforeMs) return;
      stopWaiting();
      const at = clockWords(read, preferences.get().zone);
      setNote(`Paused for ${durationWords(pausedMs)} while this tab was hidden; caught up at ${at}`);
      timer = setTimeout(() => setNote(undefined), SHOWN_MS);
    };
    const onChange = () => {
      if (document.visibilityState === 'hidden') {
        hiddenSinceMs = Date.now();
        return;
      }
      const pausedMs = hiddenSinceMs === undefined ? 0 : Date.now() - hiddenSinceMs;
      hiddenSinceMs = undefined;
      if (pausedMs < WORTH_SAYING_MS) return;
      const readBeforeMs = feed.latest?.asOfMs ?? 0;
      stopWaiting();
      stopWaiting = feed.subscribe(() => caughtUp(pausedMs, readBeforeMs));
    };
    document.addEventListener('visibilitychange', onChange);
    return () => {
      document.removeEventListener('visibilitychange', onChange);
      stopWaiting();
      clearTimeout(timer);
    };
  }, [feed, preferences]);
  return note;
}
