'use client';

import { useEffect, useEffectEvent } from 'react';
import { NOTHING_DRAWN, withoutLastCorner } from '#lib/client/area/drawing-state.ts';
import { ended, measureToggled, withoutLast } from '#lib/client/measuring/measuring-state.ts';
import { toggleDrawing } from '#lib/client/page/drawn-area.ts';
import { toggleReplay } from '#lib/client/page/enter-replay.ts';
import { useIsReplaying, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { LABEL_LEVELS, TRAIL_LEVELS } from '#lib/client/page/preferences.ts';
import { afterFollowKey, afterIsolateKey, goToNextEmergency, type TrackFocus } from '#lib/client/page/selecting.ts';
import { STEP_MS } from '#lib/client/replay/playback.ts';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { nextOf } from './next-of.ts';
import { pressedKey } from './pressed-key.ts';
import { type ShortcutAction, type ShortcutMode, shortcutFor } from './shortcuts.ts';
import type { ShellState } from './use-shell.ts';

export function useShellShortcuts(shell: ShellState): void {
  const lookout = useLookout();
  const { display, mapAbsence, mapCommands, measuring, replay, selecting } = lookout;
  const isReplaying = useIsReplaying();
  const [preferences, change] = usePreferences();

  const changeFocus = (change: (state: TrackFocus) => TrackFocus) => {
    if (display.summary().selectedRef !== undefined) selecting.changeFocus(change);
  };

  const actions: Readonly<Record<ShortcutAction, () => void>> = {
    'clear-selection': () => {
      if (measuring.change(ended) || lookout.zones.stopDrawing()) return;
      if (lookout.drawing.get().tool !== undefined) return lookout.drawing.set(NOTHING_DRAWN);
      display.select(undefined);
      lookout.markedPlace.set(undefined);
    },
    measure: () => {
      if (mapAbsence.get()) return;
      lookout.drawing.set(NOTHING_DRAWN);
      measuring.change(measureToggled);
    },
    'draw-area': () => mapAbsence.get() === undefined && toggleDrawing(lookout),
    'remove-point': () => {
      if (!measuring.change(withoutLast) && !lookout.zones.run('undo'))
        lookout.drawing.set(withoutLastCorner(lookout.drawing.get()));
    },
    'zoom-in': () => mapCommands.run({ kind: 'zoom', by: 1 }),
    'zoom-out': () => mapCommands.run({ kind: 'zoom', by: -1 }),
    home: () => mapCommands.run({ kind: 'home' }),
    'toggle-panel': () => shell.setPanelOpen(!shell.panelOpen),
    'go-to-table': shell.goToTable,
    find: () => shell.setFindOpen(true),
    'show-middle': () => mapCommands.run({ kind: 'show-middle' }),
    'next-units': () => change({ units: nextOf(UNIT_SYSTEMS, preferences.units) }),
    'toggle-zone': () => change({ zone: preferences.zone === 'utc' ? 'local' : 'utc' }),
    'next-labels': () => change({ labels: nextOf(LABEL_LEVELS, preferences.labels) }),
    'toggle-replay': () => toggleReplay(lookout),
    'toggle-play': () => replay.command({ do: 'toggle' }),
    'step-back': () => replay.command({ do: 'step', byMs: -STEP_MS }),
    'step-forward': () => replay.command({ do: 'step', byMs: STEP_MS }),
    'step-back-ten': () => replay.command({ do: 'step', byMs: -10 * STEP_MS }),
    'step-forward-ten': () => replay.command({ do: 'step', byMs: 10 * STEP_MS }),
    slower: () => replay.command({ do: 'slower' }),
    faster: () => replay.command({ do: 'faster' }),
    first: () => replay.command({ do: 'first' }),
    last: () => replay.command({ do: 'last' }),
    'next-trails': () => change({ trails: nextOf(TRAIL_LEVELS, preferences.trails) }),
    share: shell.share.start,
    'next-emergency': () => goToNextEmergency(lookout),
    follow: () => changeFocus(afterFollowKey),
    isolate: () => changeFocus(afterIsolateKey),
    alarms: () => {
      lookout.zones.page.set('alarms');
      shell.openZones();
    },
    'toggle-help': () => shell.setHelpOpen(!shell.helpOpen),
  };

  useShortcuts({ singleKeys: preferences.singleKeys, isReplaying }, (action) => actions[action]());
}

/** Ignores events that a dialog or menu has handled, such as Esc. */
function useShortcuts(mode: ShortcutMode, run: (action: ShortcutAction) => void): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    const modified = event.ctrlKey || event.altKey || event.metaKey;
    const { code, isComposing, shiftKey: shift, target } = event;
    const key = pressedKey({ key: event.key, code, isComposing, altGraph: event.getModifierState('AltGraph') });
    if (key === undefined) return;
    const commanded = (event.ctrlKey || event.metaKey) && !event.altKey && !shift;
    const press = { key, modified, commanded, shift, typing: isTextField(target), onControl: isControl(target) };
    const action = shortcutFor(press, mode);
    if (action === undefined) return;
    event.preventDefault();
    run(action);
  });

  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
}

function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input, textarea, select');
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('button, a, summary, [role="switch"], [role="row"]') !== null;
}
