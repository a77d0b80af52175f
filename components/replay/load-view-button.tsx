'use client';

import { useLiveSummary, useLookout, useReplay } from '#lib/client/lookout-context.tsx';
import { enterReplay } from '#lib/client/replay/enter-replay.ts';
import type { Window } from '#lib/time/window.ts';
import { Button } from '../ui/button.tsx';

/** Where the map shows places that are not loaded: the same window of what it shows now. */
export function LoadViewButton({ window }: { readonly window: Window }) {
  const lookout = useLookout();
  const { capped } = useLiveSummary();
  const isLoaded = useReplay((summary) => summary?.loading.kind === 'done');
  if (!capped || !isLoaded) return null;
  const load = () => {
    const { playback } = lookout.replay;
    if (playback.mode === 'replay') enterReplay(lookout, { window, cursor: playback.cursor, speed: playback.speed });
  };
  return <Button onClick={load}>Replay this view</Button>;
}
