'use client';

import { useEffect } from 'react';
import { useIsReplaying } from '#lib/client/page/lookout-context.tsx';

/** Marks the browser tab while it shows a replay. */
export function useReplayTitle(): void {
  const isReplaying = useIsReplaying();
  useEffect(() => {
    if (!isReplaying) return;
    const before = document.title;
    document.title = `Replay · ${before}`;
    return () => {
      document.title = before;
    };
  }, [isReplaying]);
}
