'use client';

import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import { useFilter, useLayersOn, useLookout, useReplay, useValue } from '#lib/client/page/lookout-context.tsx';
import { type ScanState, type WindowScan, WindowScans } from '#lib/client/replay/window-tracks/scan-window.ts';
import { activeCriteria } from '#lib/filter/track-filter.ts';

export interface WindowTracksState extends ScanState {
  readonly isCurrent: boolean;
}

export function useWindowTracksHere(): WindowTracksState {
  const { replay, mapView, markedPlace } = useLookout();
  const loaded = useReplay((summary) => summary?.layers);
  const window = useReplay((summary) => summary?.playback.window);
  const { filter } = useFilter();
  const [layers] = useLayersOn();
  const view = useValue(mapView).visible;
  const visible = filter.inside === 'view' ? view : undefined;
  const marked = useValue(markedPlace);
  const isListed = useValue(replay.tab) === 'tracks';
  const isNeeded = isListed || activeCriteria(filter).length > 0;
  const [scans] = useState(() => new WindowScans());
  const state = useValue(scans.state);
  const store = replay.session?.store;

  // Not state set by an effect: React throws after 50 nested updates, which a burst of progress lines reaches.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `loaded` is new whenever the store has grown.
  const wanted = useMemo((): WindowScan | undefined => {
    return isNeeded && store && window ? { store, window, layers, filter, visible, place: marked } : undefined;
  }, [isNeeded, store, window, layers, filter, visible, marked, loaded]);
  useEffect(() => {
    if (wanted) scans.want(wanted);
  }, [scans, wanted]);
  useEffect(() => () => scans.stop(), [scans]);

  const isOfStore = isNeeded && state.of?.store === store;
  return isOfStore
    ? { ...state, isCurrent: state.of === wanted }
    : { tracks: undefined, of: undefined, isCurrent: false };
}

const WindowTracksContext = createContext<WindowTracksState>({ tracks: undefined, of: undefined, isCurrent: false });

export const WindowTracksProvider = WindowTracksContext.Provider;

export function useWindowTracks(): WindowTracksState {
  return useContext(WindowTracksContext);
}
