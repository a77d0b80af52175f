'use client';

import { createContext, useContext, useEffect, useState } from 'react';
import { useFilter, useLayersOn, useLookout, useReplay, useValue } from '#lib/client/page/lookout-context.tsx';
import { type ScanState, WindowScans } from '#lib/client/replay/window-tracks/window-scans.ts';
import { activeCriteria } from '#lib/filter/track-filter.ts';

export interface WindowTracksState extends ScanState {
  readonly isCurrent: boolean;
}

export function useWindowTracksHere(): WindowTracksState {
  const { replay, replayTab, mapView, markedPlace } = useLookout();
  const loaded = useReplay((summary) => summary?.layers);
  const window = useReplay((summary) => summary?.playback.window);
  const { filter } = useFilter();
  const [layers] = useLayersOn();
  const view = useValue(mapView).visible;
  const visible = filter.inside === 'view' ? view : undefined;
  const marked = useValue(markedPlace);
  const isListed = useValue(replayTab) === 'tracks';
  const isNeeded = isListed || activeCriteria(filter).length > 0;
  const [scans] = useState(() => new WindowScans());
  const state = useValue(scans.state);
  const store = replay.session?.store;
  const [asked, setAsked] = useState<ScanState['of']>();

  // biome-ignore lint/correctness/useExhaustiveDependencies: `loaded` is new whenever the store has grown.
  useEffect(() => {
    if (!isNeeded || !store || !window) return;
    const scan = { store, window, layers, filter, visible, place: marked };
    setAsked(scan);
    scans.want(scan);
  }, [scans, isNeeded, store, window, layers, filter, visible, marked, loaded]);
  useEffect(() => () => scans.stop(), [scans]);

  const isOfStore = isNeeded && state.of?.store === store;
  return isOfStore
    ? { ...state, isCurrent: state.of === asked }
    : { tracks: undefined, of: undefined, isCurrent: false };
}

const WindowTracksContext = createContext<WindowTracksState>({ tracks: undefined, of: undefined, isCurrent: false });

export const WindowTracksProvider = WindowTracksContext.Provider;

export function useWindowTracks(): WindowTracksState {
  return useContext(WindowTracksContext);
}
