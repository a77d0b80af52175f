'use client';

import { createContext, useContext, useEffect, useSyncExternalStore } from 'react';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { AlarmSound } from '../alarms/alarm-sound.ts';
import type { ReadValue } from '../value-store.ts';
import type { Preferences, StoredPreferences } from './preferences.ts';

/**
 * The desk of a page: its bar and its alarms need no more. The page of the map makes it of its own stores; other pages load
 * none of those.
 */
export interface Desk {
  readonly preferences: StoredPreferences;
  readonly sound: AlarmSound;
  /** The service's time, to the second; `undefined` before it is known. */
  readonly now: ReadValue<UpstreamInstant | undefined>;
  /** The browser's time until then. */
  presumedNow(): UpstreamInstant;
  openAlarms(): void;
}

const DeskContext = createContext<Desk | undefined>(undefined);

export const DeskProvider = DeskContext.Provider;

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error('useDesk is used outside DeskProvider');
  return desk;
}

export function useDeskPreferences(): readonly [Preferences, StoredPreferences['change']] {
  const { preferences } = useDesk();
  return [useSyncExternalStore(preferences.subscribe, preferences.get, preferences.get), preferences.change];
}

/** Sets the theme of the page. With `system`, the media query of the style sheet decides. */
export function useTheme(theme: Preferences['theme']): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === 'system') delete dataset.theme;
    else dataset.theme = theme;
  }, [theme]);
}

/** How a page leads to the alarms on the map. */
const ALARMS_HASH = '#alarms';

export function addressOfAlarms(mapAddress: string): string {
  return `${mapAddress}${ALARMS_HASH}`;
}

/** Takes a link to the alarms out of the address. @returns whether there was one */
export function takeAlarmsLink(): boolean {
  const { location, history } = window;
  if (location.hash !== ALARMS_HASH) return false;
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  return true;
}
