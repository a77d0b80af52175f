import * as z from 'zod/mini';
import type { BrowserStorage } from '../browser/storage.ts';
import type { ValueStore } from '../value-store.ts';
import { type Preferences, preferencesKey, readPreferences } from './preferences.ts';

/** Per window: on a desk with two screens the panel is open on one of them. */
const ofWindowSchema = z.object({
  panelOpen: z.catch(z.optional(z.boolean()), undefined),
  legendOpen: z.catch(z.optional(z.boolean()), undefined),
});
const windowKey = 'lookout.window-preferences';

export interface PreferencesStores {
  readonly local: Pick<BrowserStorage, 'read' | 'write'>;
  readonly session: Pick<BrowserStorage, 'read' | 'write'>;
}

export interface StorageEvents {
  addEventListener(type: 'storage', listener: (event: Pick<StorageEvent, 'key'>) => void): void;
  removeEventListener(type: 'storage', listener: (event: Pick<StorageEvent, 'key'>) => void): void;
}

export function openedPreferences({ local, session }: PreferencesStores, operator: string | undefined): Preferences {
  const preferences = readPreferences(local, operator);
  const { panelOpen, legendOpen } = session.read(windowKey, ofWindowSchema) ?? {};
  return {
    ...preferences,
    panelOpen: panelOpen ?? preferences.panelOpen,
    legendOpen: legendOpen ?? preferences.legendOpen,
  };
}

/** Adopts changes of other windows, except per-window preferences. Returns a function that stops. */
export function storePreferences(
  store: ValueStore<Preferences>,
  { local, session }: PreferencesStores,
  events: StorageEvents,
  operator: string | undefined,
): () => void {
  let isTakingOver = false;
  const stop = store.subscribe(() => {
    // Writing it again could undo the other window's next change.
    if (isTakingOver) return;
    const preferences = store.get();
    local.write(preferencesKey(operator), preferences);
    const { panelOpen, legendOpen } = preferences;
    session.write(windowKey, { panelOpen, legendOpen });
  });
  const onStorage = ({ key }: Pick<StorageEvent, 'key'>) => {
    // null: all of the storage was cleared.
    if (key !== preferencesKey(operator) && key !== null) return;
    const { panelOpen, legendOpen } = store.get();
    isTakingOver = true;
    store.set({ ...readPreferences(local, operator), panelOpen, legendOpen });
    isTakingOver = false;
  };
  events.addEventListener('storage', onStorage);
  return () => {
    stop();
    events.removeEventListener('storage', onStorage);
  };
}
