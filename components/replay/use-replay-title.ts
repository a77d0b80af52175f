'use client';

import { useEffect } from 'react';
import { useIsReplaying } from '#lib/client/page/lookout-context.tsx';

/** Among several tabs, the one that shows the past says so. */
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
