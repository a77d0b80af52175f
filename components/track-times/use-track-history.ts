'use client';

import { useEffect, useState, useSyncExternalStore } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import type { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import { type TrackHistory, trackHistory } from '#lib/client/replay/store/track-history.ts';
import type { Window } from '#lib/time/window.ts';

/** Parts of a loading window arrive faster than a chart can be read. */
const UPDATE_EVERY_MS = 250;

/** `undefined` while live, or if the window has no position of the track. */
export function useTrackHistory(): TrackHistory | undefined {
  const { display, replay } = useLookout();
  const selected = () => display.summary().selectedRef;
  const ref = useSyncExternalStore(display.subscribe, selected, selected);
  const [loaded, setLoaded] = useState<TrackHistory>();

  useEffect(() => {
    if (ref === undefined) return;
    let store: ReplayStore | undefined;
    let revision: number | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      // A new replay, or the end of one, is shown at once.
      const current = replay.session?.store;
      const isNewStore = current !== store;
      if (!isNewStore && (timer !== undefined || store?.revision === revision)) return;
      clearTimeout(timer);
      store = current;
      revision = store?.revision;
      const window = replay.session?.playback.window;
      setLoaded((before) => readHistory(store, window, ref, isNewStore ? undefined : before));
      timer = setTimeout(() => {
        timer = undefined;
        update();
      }, UPDATE_EVERY_MS);
    };
    update();
    const stop = replay.subscribe(update);
    return () => {
      stop();
      clearTimeout(timer);
      setLoaded(undefined);
    };
  }, [replay, ref]);

  return loaded;
}

/** Returns `before` if nothing is new, for a stable identity. */
function readHistory(
  store: ReplayStore | undefined,
  window: Window | undefined,
  ref: string,
  before: TrackHistory | undefined,
): TrackHistory | undefined {
  const track = store?.trackOf(ref);
  if (!store || !window || track === undefined) return undefined;
  const history = trackHistory(store, track, window.start);
  if (history.count === 0) return undefined;
  return before?.count === history.count ? before : history;
}
