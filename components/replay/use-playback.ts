'use client';

import type { Speed } from '#lib/api/address-state.ts';
import { useReplay } from '#lib/client/page/lookout-context.tsx';
import type { Playback } from '#lib/client/replay/playback.ts';
import type { Window } from '#lib/time/window.ts';

export interface PlaybackState {
  readonly isPlaying: boolean;
  readonly isWaiting: boolean;
  readonly speed: Speed;
  readonly loop: boolean;
  readonly window: Window;
}

/** Without the cursor, so that it does not change every frame; `undefined` while live. */
export function usePlayback(): PlaybackState | undefined {
  const of = <T>(select: (playback: Playback) => T) =>
    // biome-ignore lint/correctness/useHookAtTopLevel: each of these is called once, in the same order.
    useReplay((summary) => (summary ? select(summary.playback) : undefined));
  const state = of((playback) => playback.state);
  const speed = of((playback) => playback.speed);
  const loop = of((playback) => playback.loop);
  const window = of((playback) => playback.window);
  const isWaiting = useReplay((summary) => summary?.isWaiting ?? false);
  if (speed === undefined || loop === undefined || window === undefined) return undefined;
  return { isPlaying: state === 'playing', isWaiting, speed, loop, window };
}
