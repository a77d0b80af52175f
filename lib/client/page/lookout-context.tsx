'use client';

import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import type { TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { Display } from '../display/display.ts';
import type { DisplaySummary } from '../display/display-summary.ts';
import { LiveFeed } from '../live/live-feed.ts';
import { browserNow } from '../live/server-clock.ts';
import { openReplayTransport } from '../replay/load/replay-transport.ts';
import { playReplay } from '../replay/play-replay.ts';
import { ReplayEngine } from '../replay/replay-engine.ts';
import type { ReplaySummary } from '../replay/replay-summary.ts';
import { parseAddress, type ReplayAddress } from './address-state.ts';
import { MapCommands } from './map-commands.ts';
import { defaultPreferences, type Preferences, readPreferences, writePreferences } from './preferences.ts';
import { ValueStore } from './value-store.ts';
import type { ViewState } from './view-state.ts';

/** What the whole page shares; made once for each visit. */
export interface Lookout {
  readonly feed: LiveFeed;
  readonly display: Display;
  readonly replay: ReplayEngine;
  readonly mapCommands: MapCommands;
  readonly mapView: ValueStore<ViewState>;
  readonly layersOn: ValueStore<ReadonlySet<Layer>>;
  readonly preferences: ValueStore<Preferences>;
  /** Where the map starts and `home` leads. */
  readonly home: ViewState;
  /** Style of one's own; `undefined` for the built-in basemap. */
  readonly mapStyleUrl: string | undefined;
  /** The past moment that the page's address named; `undefined` where it was live. */
  readonly linkedReplay: ReplayAddress | undefined;
  /** Parameters of the address that were ignored: unknown or broken. */
  readonly ignoredParameters: readonly string[];
  /** The signed-in operator; `undefined` where no sign-in is needed. */
  readonly operator: string | undefined;
}

const LookoutContext = createContext<Lookout | undefined>(undefined);

export interface LookoutProviderProps {
  readonly home: ViewState;
  readonly mapStyleUrl: string | undefined;
  readonly operator: string | undefined;
  /** The query of the page's address, with its question mark. */
  readonly address: string;
  readonly children: ReactNode;
}

export function LookoutProvider({ home, mapStyleUrl, operator, address, children }: LookoutProviderProps) {
  const [lookout] = useState<Lookout>(() => {
    const { state, ignored } = parseAddress(address);
    const layersOn = state.layers ?? new Set(LAYERS);
    const monotonicMs = () => performance.now();
    const feed = new LiveFeed({ monotonicMs, wallNow: browserNow });
    const display = new Display(feed, monotonicMs);
    feed.setLayersOn(layersOn);
    display.select(state.selectedRef);
    return {
      feed,
      display,
      replay: new ReplayEngine(openReplayTransport((asOf, delayMs) => feed.syncClock(asOf, delayMs))),
      mapCommands: new MapCommands(),
      mapView: new ValueStore<ViewState>({ ...(state.view ?? home), visible: undefined }),
      layersOn: new ValueStore(layersOn),
      preferences: new ValueStore(defaultPreferences),
      home,
      mapStyleUrl,
      linkedReplay: state.replay,
      ignoredParameters: ignored,
      operator,
    };
  });

  useEffect(() => {
    // After hydration: the server does not know what this browser keeps.
    lookout.preferences.set(readPreferences(window.localStorage));
    return lookout.preferences.subscribe(() => writePreferences(window.localStorage, lookout.preferences.get()));
  }, [lookout]);

  useEffect(() => {
    const ageing = setInterval(() => lookout.feed.age(), 1000);
    const layers = lookout.layersOn.subscribe(() => {
      lookout.feed.setLayersOn(lookout.layersOn.get());
      lookout.replay.session?.setLayers(lookout.layersOn.get());
    });
    const view = lookout.mapView.subscribe(() => lookout.display.setVisible(lookout.mapView.get().visible));
    return () => {
      clearInterval(ageing);
      layers();
      view();
    };
  }, [lookout]);

  useEffect(() => playReplay(lookout.display, lookout.replay), [lookout]);

  return <LookoutContext value={lookout}>{children}</LookoutContext>;
}

export function useLookout(): Lookout {
  const lookout = useContext(LookoutContext);
  if (!lookout) throw new Error('useLookout is used outside of LookoutProvider');
  return lookout;
}

export function useValue<T>(store: ValueStore<T>): T {
  return useSyncExternalStore(store.subscribe, store.get, store.get);
}

/** Counts, states and times: a new object at every answer and every second. */
export function useDisplay(): DisplaySummary {
  const { display } = useLookout();
  return useSyncExternalStore(display.subscribe, display.summary, display.summary);
}

/** The tracks at the summary's moment. */
export function useListedTracks(): TrackMoment {
  const { display } = useLookout();
  return useSyncExternalStore(display.subscribeTracks, display.listedTracks, display.listedTracks);
}

/**
 * Something of the replay's summary, which is `undefined` while the page is live. The summary is another with every frame of
 * a replay: what is selected should be the same for as long as nothing of it changed.
 */
export function useReplay<T>(select: (summary: ReplaySummary | undefined) => T): T {
  const { replay } = useLookout();
  const selected = () => select(replay.summary());
  return useSyncExternalStore(replay.subscribe, selected, selected);
}

/** Whether a past moment is shown. */
export function useIsReplaying(): boolean {
  return useReplay((summary) => summary !== undefined);
}

export function usePreferences(): readonly [Preferences, (change: Partial<Preferences>) => void] {
  const { preferences } = useLookout();
  const current = useValue(preferences);
  const change = useMemo(
    () => (part: Partial<Preferences>) => preferences.set({ ...preferences.get(), ...part }),
    [preferences],
  );
  return [current, change];
}

export function useLayersOn(): readonly [ReadonlySet<Layer>, (layer: Layer, on: boolean) => void] {
  const { layersOn } = useLookout();
  const current = useValue(layersOn);
  const change = useMemo(
    () => (layer: Layer, on: boolean) => {
      const next = new Set(layersOn.get());
      if (on) next.add(layer);
      else next.delete(layer);
      layersOn.set(next);
    },
    [layersOn],
  );
  return [current, change];
}
