'use client';

import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { type Permission, roleMay } from '#lib/api/people/permission.ts';
import { NO_FILTER, type TrackFilter } from '#lib/filter/track-filter.ts';
import type { Layer } from '#lib/model/position.ts';
import type { TrackMoment } from '#lib/picture/pictured-tracks.ts';
import type { DisplaySummary } from '../display/display-summary.ts';
import type { ReplaySummary } from '../replay/replay-summary.ts';
import type { ReadValue } from '../value-store.ts';
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
  return <LookoutContext value={lookout}>{children}</LookoutContext>;
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

/** Whether the operator had the permission when the page was opened. The server decides at each request. */
export function useMay(permission: Permission): boolean {
  const { operator } = useLookout();
  return operator === undefined || roleMay(operator.role, permission);
}
