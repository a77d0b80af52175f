import * as z from 'zod/mini';
import type { ValueStore } from '../value-store.ts';
import { type Preferences, preferencesKey, readPreferences, writePreferences } from './preferences.ts';

/** Preferences of each window: on a desk with two screens the panel is open on one of them. */
const ofWindowSchema = z.object({
  panelOpen: z.catch(z.optional(z.boolean()), undefined),
  legendOpen: z.catch(z.optional(z.boolean()), undefined),
});
const windowKey = 'lookout.window-preferences';

/** The parts of `window` that are needed. */
export interface PreferencesWindow {
  readonly localStorage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly sessionStorage: Pick<Storage, 'getItem' | 'setItem'>;
  addEventListener(type: 'storage', listener: (event: Pick<StorageEvent, 'key'>) => void): void;
  removeEventListener(type: 'storage', listener: (event: Pick<StorageEvent, 'key'>) => void): void;
}

/** The operator's preferences in this browser, and of this window before it was reloaded. */
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

/**
 * Stores every change, and takes over what other windows of this browser change, except what each window decides for itself.
 * Returns a function that ends both.
 */
export function storePreferences(
  store: ValueStore<Preferences>,
  page: PreferencesWindow,
  operator: string | undefined,
): () => void {
  let isTakingOver = false;
  const stop = store.subscribe(() => {
    // Another window has stored its change already; writing it again could undo that window's next change.
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
