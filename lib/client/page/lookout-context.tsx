'use client';

import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { type Permission, roleMay, roleMayLoad } from '#lib/api/people/permission.ts';
import type { Layer } from '#lib/model/position.ts';
import type { TrackMoment } from '#lib/picture/pictured-tracks.ts';
import type { DisplaySummary } from '../display/display-summary.ts';
import type { ReplaySummary } from '../replay/replay-summary.ts';
import type { ReadValue } from '../value-store.ts';
import { type Desk, DeskProvider } from './desk.tsx';
import { connectLookout, type Lookout, type LookoutOptions, makeLookout } from './lookout.ts';
import type { Preferences } from './preferences.ts';

const LookoutContext = createContext<Lookout | undefined>(undefined);

export interface LookoutProviderProps extends LookoutOptions {
  readonly children: ReactNode;
}

/** How components reach what the page shares, and the hooks that draw them again when it changes. */
export function LookoutProvider({ children, ...options }: LookoutProviderProps) {
  const [lookout] = useState(() => makeLookout(options));
  useEffect(() => connectLookout(lookout), [lookout]);
  const [desk] = useState(() => deskOf(lookout));
  return (
    <LookoutContext value={lookout}>
      <DeskProvider value={desk}>{children}</DeskProvider>
    </LookoutContext>
  );
}

function deskOf({ preferences, zones, display, feed }: Lookout): Desk {
  return {
    preferences,
    sound: zones.sound,
    now: { subscribe: display.subscribeSummary, get: () => display.summary().now },
    presumedNow: () => feed.presumedNow(),
    openAlarms: () => zones.openAlarms(),
  };
}

export function useLookout(): Lookout {
  const lookout = useContext(LookoutContext);
  if (!lookout) throw new Error('useLookout is used outside LookoutProvider');
  return lookout;
}

export function useValue<T>(store: ReadValue<T>): T {
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
  return [useValue(preferences), preferences.change];
}

export function useFilter() {
  const { filter } = useLookout();
  const { change, clear } = filter;
  return { filter: useValue(filter), change, clear };
}

export function useLayersOn(): readonly [ReadonlySet<Layer>, (layer: Layer, isOn: boolean) => void] {
  const { layersOn } = useLookout();
  return [useValue(layersOn), layersOn.toggle];
}

/** Whether the operator had the permission when the page was opened. The server decides at each request. */
export function useMay(permission: Permission): boolean {
  const { operator } = useLookout();
  return operator === undefined || roleMay(operator.role, permission);
}

/** Whether the operator may load the past, which some roles may only where it uses up no allowance. */
export function useMayLoad(): boolean {
  const { operator, server } = useLookout();
  return operator === undefined || roleMayLoad(operator.role, server.hasAllowance);
}
