'use client';

import { enterReplay } from '#lib/client/page/enter-replay.ts';
import { useDisplay, useLookout, useReplay } from '#lib/client/page/lookout-context.tsx';
import type { Window } from '#lib/time/window.ts';
import { Button } from '../ui/button.tsx';

/** Where the map shows places that are not loaded: the same window of what it shows now. */
export function LoadViewButton({ window }: { readonly window: Window }) {
  const lookout = useLookout();
  const { capped } = useDisplay();
  const isLoaded = useReplay((summary) => summary?.loading.kind === 'done');
  if (!capped || !isLoaded) return null;
  const load = () => {
    const { cursor, speed } = lookout.replay.session?.playback ?? {};
    enterReplay(lookout, { window, cursor, speed });
  };
  return <Button onClick={load}>Replay this view</Button>;
}
