'use client';

import { useEffect, useState, useSyncExternalStore } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import type { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import { type TrackHistory, trackHistory } from '#lib/client/replay/store/track-history.ts';
import type { Window } from '#lib/time/window.ts';

/** While a window loads, new parts come in faster than anybody reads a chart. */
const TAKEN_OVER_EVERY_MS = 250;

interface ReadHistory {
  readonly history: TrackHistory;
  /** The replayed window; the same object for as long as the replay is the same. */
  readonly window: Window;
}

/** What the replayed window holds of the selected track. `undefined` while the page is live, and where that is nothing. */
export function useTrackHistory(): ReadHistory | undefined {
  const { display, replay } = useLookout();
  const selected = () => display.summary().selectedRef;
  const ref = useSyncExternalStore(display.subscribe, selected, selected);
  const [held, setHistory] = useState<ReadHistory>();

  useEffect(() => {
    if (ref === undefined) return;
    let store: ReplayStore | undefined;
    let revision: number | undefined;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const takeOver = () => {
      // Another replay, or none any more, is shown at once.
      const now = replay.session?.store;
      const isOther = now !== store;
      if (!isOther && (rest !== undefined || store?.revision === revision)) return;
      clearTimeout(rest);
      store = now;
      revision = store?.revision;
      setHistory((before) => readHistory(store, ref, isOther ? undefined : before));
      rest = setTimeout(() => {
        rest = undefined;
        takeOver();
      }, TAKEN_OVER_EVERY_MS);
    };
    takeOver();
    const stop = replay.subscribe(takeOver);
    return () => {
      stop();
      clearTimeout(rest);
      setHistory(undefined);
    };
  }, [replay, ref]);

  return held;
}

/** What is held already stays the same object where the track has nothing new: a store only ever grows. */
function readHistory(
  store: ReplayStore | undefined,
  ref: string,
  before: ReadHistory | undefined,
): ReadHistory | undefined {
  const track = store?.trackOf(ref);
  if (!store || track === undefined) return undefined;
  if (before && before.history.count === store.seriesOf(track).count) return before;
  return { history: trackHistory(store, track), window: store.window };
}
