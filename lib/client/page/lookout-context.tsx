'use client';

import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { type Camera, parseAddress, type ReplayAddress } from '#lib/api/address-state.ts';
import type { SignedInOperator } from '#lib/api/people/session-messages.ts';
import { incompleteEnd, mendedLink } from '#lib/api/received-link.ts';
import { NO_FILTER, type TrackFilter } from '#lib/filter/track-filter.ts';
import type { Colouring } from '#lib/model/mark-colour.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { selectionOf } from '#lib/model/selection.ts';
import type { TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { AlarmSound } from '../alarms/alarm-sound.ts';
import { type DrawingState, NOTHING_DRAWN } from '../area/drawing-state.ts';
import { localStore, sessionStore } from '../browser/storage.ts';
import { Display } from '../display/display.ts';
import type { DisplaySummary } from '../display/display-summary.ts';
import { ageWithoutAnswers, LiveFeed } from '../live/live-feed.ts';
import { browserNow } from '../live/server-clock.ts';
import { Measuring } from '../measuring/measuring.ts';
import type { CoverageChoice } from '../overview/coverage-choice.ts';
import { openReplayTransport } from '../replay/load/replay-transport.ts';
import { playReplay, ReplayEngine } from '../replay/replay-engine.ts';
import type { ReplaySummary } from '../replay/replay-summary.ts';
import { storeLoad, storeSpeed } from '../replay/stored-replay.ts';
import { storeTtl } from '../replay/time-to-live.ts';
import { TRAILS_OFF, type TrailsState } from '../trails/trails-loading.ts';
import { ValueStore } from '../value-store.ts';
import { ZoneDesk } from '../zones/zone-desk.ts';
import type { MapAbsence } from './map-absence.ts';
import { MapCommands } from './map-commands.ts';
import type { MarkedPlace } from './marked-place.ts';
import { MyPositionWatch } from './my-position.ts';
import { openedPreferences, type Preferences, storePreferences } from './preferences.ts';
import { NO_REGION_MAP, type RegionMapState } from './region-map.ts';
import { afterSelection, NO_FOCUS, type TrackFocus } from './track-focus.ts';
import type { ViewState } from './view-state.ts';

export interface Lookout {
  readonly feed: LiveFeed;
  readonly display: Display;
  readonly replay: ReplayEngine;
  readonly mapCommands: MapCommands;
  readonly mapView: ValueStore<ViewState>;
  readonly mapShown: ValueStore<boolean>;
  /** `undefined` while there is a map, or one comes. */
  readonly mapAbsence: ValueStore<MapAbsence | undefined>;
  readonly layersOn: ValueStore<ReadonlySet<Layer>>;
  readonly filter: ValueStore<TrackFilter>;
  readonly colouring: ValueStore<Colouring>;
  readonly focus: ValueStore<TrackFocus>;
  readonly selectsMore: ValueStore<boolean>;
  readonly selectionNote: ValueStore<string | undefined>;
  readonly emergencyNote: ValueStore<string | undefined>;
  readonly liveTrails: ValueStore<TrailsState>;
  readonly measuring: Measuring;
  readonly drawing: ValueStore<DrawingState>;
  readonly zones: ZoneDesk;
  readonly alarmSound: AlarmSound;
  /** `undefined`: off. */
  readonly coverage: ValueStore<CoverageChoice | undefined>;
  readonly replayTab: ValueStore<'timeline' | 'tracks'>;
  readonly preferences: ValueStore<Preferences>;
  readonly printedTheme: ValueStore<'light' | undefined>;
  readonly markedPlace: ValueStore<MarkedPlace | undefined>;
  readonly myPosition: MyPositionWatch;
  /** Target of the `home` command: the operator's start view, or the configured home. */
  readonly home: ValueStore<Camera>;
  readonly configuredHome: Camera;
  readonly mapStyleUrl: string | undefined;
  readonly maps: readonly string[];
  readonly mapFetchCommand: string;
  readonly regionMap: ValueStore<RegionMapState>;
  /** `undefined` if the address was live. */
  readonly linkedReplay: ReplayAddress | undefined;
  readonly ignoredParameters: readonly string[];
  readonly linkCutAt: string | undefined;
  /** `undefined` if no sign-in is required. */
  readonly operator: SignedInOperator | undefined;
  readonly hasReceivers: boolean;
  readonly isRecording: boolean;
  /** Of the server that rendered the page, and so of the page. */
  readonly version: string;
}

const PREFERENCES_STORES = { local: localStore, session: sessionStore };

const LookoutContext = createContext<Lookout | undefined>(undefined);

export interface LookoutProviderProps {
  readonly home: Camera;
  readonly start: string;
  readonly mapStyleUrl: string | undefined;
  readonly maps: readonly string[];
  readonly mapFetchCommand: string;
  readonly operator: SignedInOperator | undefined;
  readonly hasReceivers: boolean;
  readonly isRecording: boolean;
  readonly version: string;
  readonly address: string;
  readonly children: ReactNode;
}

export function LookoutProvider({
  home,
  start,
  mapStyleUrl,
  maps,
  mapFetchCommand,
  operator,
  hasReceivers,
  isRecording,
  version,
  address,
  children,
}: LookoutProviderProps) {
  const [lookout] = useState<Lookout>(() => {
    const link = mendedLink(address);
    const { state, ignored } = parseAddress(link);
    const layersOn = state.layers ?? new Set(LAYERS);
    const monotonicMs = () => performance.now();
    const feed = new LiveFeed({ monotonicMs, wallNow: browserNow });
    const display = new Display(feed, monotonicMs);
    feed.setLayersOn(layersOn);
    display.setFilter(state.filter);
    display.setColouring(state.colouring);
    display.setSelection(selectionOf(state.selectedRefs));
    return {
      feed,
      display,
      replay: new ReplayEngine(openReplayTransport((asOf, delayMs) => feed.syncClock(asOf, delayMs))),
      mapCommands: new MapCommands(),
      mapView: new ValueStore<ViewState>({ ...(state.view ?? home), visible: undefined }),
      mapShown: new ValueStore(false),
      mapAbsence: new ValueStore<MapAbsence | undefined>(undefined),
      layersOn: new ValueStore(layersOn),
      filter: new ValueStore(state.filter),
      colouring: new ValueStore(state.colouring),
      focus: new ValueStore(NO_FOCUS),
      selectsMore: new ValueStore(false),
      selectionNote: new ValueStore<string | undefined>(undefined),
      emergencyNote: new ValueStore<string | undefined>(undefined),
      preferences: new ValueStore(openedPreferences(PREFERENCES_STORES, operator?.id)),
      liveTrails: new ValueStore<TrailsState>(TRAILS_OFF),
      printedTheme: new ValueStore<'light' | undefined>(undefined),
      measuring: new Measuring(display),
      drawing: new ValueStore(NOTHING_DRAWN),
      zones: new ZoneDesk(),
      alarmSound: new AlarmSound(window),
      coverage: new ValueStore<CoverageChoice | undefined>(undefined),
      replayTab: new ValueStore<'timeline' | 'tracks'>('timeline'),
      markedPlace: new ValueStore<MarkedPlace | undefined>(undefined),
      myPosition: new MyPositionWatch(window),
      home: new ValueStore(parseAddress(start).state.view ?? home),
      configuredHome: home,
      mapStyleUrl,
      maps,
      mapFetchCommand,
      regionMap: new ValueStore<RegionMapState>(NO_REGION_MAP),
      linkedReplay: state.replay,
      ignoredParameters: ignored,
      linkCutAt: incompleteEnd(link),
      operator,
      hasReceivers,
      isRecording,
      version,
    };
  });

  useEffect(() => {
    const { display, feed, replay, focus } = lookout;
    let known = display.summary().selection;
    const onSelection = () => {
      const { selection } = display.summary();
      if (selection === known) return;
      const state = afterSelection(focus.get(), known, selection);
      known = selection;
      if (state !== focus.get()) focus.set(state);
      if (selection.refs.length === 0) lookout.selectsMore.set(false);
      lookout.selectionNote.set(undefined);
    };
    const stops = [
      storePreferences(lookout.preferences, PREFERENCES_STORES, window, lookout.operator?.id),
      ageWithoutAnswers(feed),
      lookout.layersOn.subscribe(() => {
        feed.setLayersOn(lookout.layersOn.get());
        replay.session?.setLayers(lookout.layersOn.get());
      }),
      lookout.mapView.subscribe(() => display.setVisible(lookout.mapView.get().visible)),
      focus.subscribe(() => display.setIsolated(focus.get().isolated)),
      display.subscribe(onSelection),
      lookout.filter.subscribe(() => display.setFilter(lookout.filter.get())),
      lookout.colouring.subscribe(() => display.setColouring(lookout.colouring.get())),
      playReplay(display, replay),
      storeSpeed(replay, lookout.preferences),
      storeLoad(replay, sessionStore),
      storeTtl(feed, localStore),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [lookout]);

  return <LookoutContext value={lookout}>{children}</LookoutContext>;
}

export function useLookout(): Lookout {
  const lookout = useContext(LookoutContext);
  if (!lookout) throw new Error('useLookout is used outside LookoutProvider');
  return lookout;
}

export function useValue<T>(store: ValueStore<T>): T {
  return useSyncExternalStore(store.subscribe, store.get, store.get);
}

export function useDisplay(): DisplaySummary;
export function useDisplay<T>(select: (summary: DisplaySummary) => T): T;
export function useDisplay<T>(select?: (summary: DisplaySummary) => T): T | DisplaySummary {
  const { display } = useLookout();
  const selected = () => (select ? select(display.summary()) : display.summary());
  return useSyncExternalStore(display.subscribeSummary, selected, selected);
}

export function useListedTracks(): TrackMoment {
  const { display } = useLookout();
  return useSyncExternalStore(display.subscribeTracks, display.listedTracks, display.listedTracks);
}

/** A playing replay has a new summary in every frame: the selected value should keep its identity. */
export function useReplay<T>(select: (summary: ReplaySummary | undefined) => T): T {
  const { replay } = useLookout();
  const selected = () => select(replay.summary());
  return useSyncExternalStore(replay.subscribe, selected, selected);
}

export function useIsReplaying(): boolean {
  return useReplay((summary) => summary !== undefined);
}

export function useHasMap(): boolean {
  const { mapAbsence } = useLookout();
  return useValue(mapAbsence) === undefined;
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

export function useFilter() {
  const { filter } = useLookout();
  const current = useValue(filter);
  const commands = useMemo(
    () => ({
      change: (part: Partial<TrackFilter>) => filter.set({ ...filter.get(), ...part }),
      clear: () => filter.set(NO_FILTER),
    }),
    [filter],
  );
  return { filter: current, ...commands };
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
