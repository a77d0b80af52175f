import * as z from 'zod/mini';
import type { ValueStore } from '../value-store.ts';
import { type Preferences, preferencesKey, readPreferences, writePreferences } from './preferences.ts';

/** Per window: on a desk with two screens the panel is open on one of them. */
const ofWindowSchema = z.object({
  panelOpen: z.catch(z.optional(z.boolean()), undefined),
  legendOpen: z.catch(z.optional(z.boolean()), undefined),
});
const windowKey = 'lookout.window-preferences';

export interface PreferencesWindow {
  readonly localStorage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly sessionStorage: Pick<Storage, 'getItem' | 'setItem'>;
  addEventListener(type: 'storage', listener: (event: Pick<StorageEvent, 'key'>) => void): void;
  removeEventListener(type: 'storage', listener: (event: Pick<StorageEvent, 'key'>) => void): void;
}

export function openedPreferences(
  { localStorage, sessionStorage }: PreferencesWindow,
  operator: string | undefined,
): Preferences {
  const preferences = readPreferences(localStorage, operator);
  try {
    const { panelOpen, legendOpen } = ofWindowSchema.parse(JSON.parse(sessionStorage.getItem(windowKey) ?? '{}'));
    return {
      ...preferences,
      panelOpen: panelOpen ?? preferences.panelOpen,
      legendOpen: legendOpen ?? preferences.legendOpen,
    };
  } catch {
    return preferences;
  }
}

/** Adopts changes of other windows, except per-window preferences. Returns a function that stops. */
export function storePreferences(
  store: ValueStore<Preferences>,
  page: PreferencesWindow,
  operator: string | undefined,
): () => void {
  let isTakingOver = false;
  const stop = store.subscribe(() => {
    // Writing it again could undo the other window's next change.
    if (isTakingOver) return;
    const preferences = store.get();
    writePreferences(page.localStorage, operator, preferences);
    const { panelOpen, legendOpen } = preferences;
    try {
      page.sessionStorage.setItem(windowKey, JSON.stringify({ panelOpen, legendOpen }));
    } catch {
      return;
    }
  });
  const onStorage = ({ key }: Pick<StorageEvent, 'key'>) => {
    // null: all of the storage was cleared.
    if (key !== preferencesKey(operator) && key !== null) return;
    const { panelOpen, legendOpen } = store.get();
    isTakingOver = true;
    store.set({ ...readPreferences(page.localStorage, operator), panelOpen, legendOpen });
    isTakingOver = false;
  };
  page.addEventListener('storage', onStorage);
  return () => {
    stop();
    page.removeEventListener('storage', onStorage);
  };
}
