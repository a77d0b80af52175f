'use client';

import { useLookout, usePreferences } from '#lib/client/lookout-context.tsx';
import { LABEL_LEVELS } from '#lib/client/preferences.ts';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { nextOf } from './next-of.ts';
import type { ShortcutAction } from './shortcuts.ts';
import type { ShellState } from './use-shell.ts';
import { useShortcuts } from './use-shortcuts.ts';

/** What each key does on this page. */
export function useShellShortcuts(shell: ShellState): void {
  const { engine, mapCommands } = useLookout();
  const [preferences, change] = usePreferences();

  const actions: Readonly<Record<ShortcutAction, () => void>> = {
    'clear-selection': () => engine.select(undefined),
    'zoom-in': () => mapCommands.run({ kind: 'zoom', by: 1 }),
    'zoom-out': () => mapCommands.run({ kind: 'zoom', by: -1 }),
    home: () => mapCommands.run({ kind: 'home' }),
    'toggle-panel': () => shell.setPanelOpen(!shell.panelOpen),
    search: shell.focusSearch,
    'next-units': () => change({ units: nextOf(UNIT_SYSTEMS, preferences.units) }),
    'toggle-zone': () => change({ zone: preferences.zone === 'utc' ? 'local' : 'utc' }),
    'next-labels': () => change({ labels: nextOf(LABEL_LEVELS, preferences.labels) }),
    'toggle-help': () => shell.setHelpOpen(!shell.helpOpen),
  };

  useShortcuts(preferences.singleKeys, (action) => actions[action]());
}
