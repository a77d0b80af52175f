'use client';

import { useEffect, useEffectEvent } from 'react';
import { withoutLastCorner } from '#lib/client/area/drawing-state.ts';
import { isModified, isTextField, keyOfEvent } from '#lib/client/browser/pressed-key.ts';
import { ended, measureToggled, withoutLast } from '#lib/client/measuring/measuring-state.ts';
import { toggleDrawing } from '#lib/client/page/drawn-area.ts';
import { toggleReplay } from '#lib/client/page/enter-replay.ts';
import type { Lookout } from '#lib/client/page/lookout.ts';
import { useIsReplaying, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { MapCommand } from '#lib/client/page/page-map.ts';
import { LABEL_LEVELS, nextOf, TRAIL_LEVELS } from '#lib/client/page/preferences.ts';
import { afterFollowKey, afterIsolateKey, goToNextEmergency, type TrackFocus } from '#lib/client/page/selecting.ts';
import { STEP_MS } from '#lib/client/replay/playback.ts';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import type { ShellState } from './use-shell.ts';

export const SHORTCUT_GROUPS = ['map', 'track', 'replay', 'page'] as const;
export type ShortcutGroup = (typeof SHORTCUT_GROUPS)[number];

/** The parts of the page that shortcuts act on. */
interface KeyedPage {
  readonly lookout: Lookout;
  readonly shell: ShellState;
  readonly preferences: ReturnType<typeof usePreferences>[0];
  readonly change: ReturnType<typeof usePreferences>[1];
}

interface When {
  /** While live, the key belongs to the map or the browser. */
  readonly inReplay?: true;
  /** Whether Shift must be pressed; `undefined`: either way. */
  readonly shift?: boolean;
}

interface Shortcut<Action extends string> extends When {
  readonly action: Action;
  readonly group: ShortcutGroup;
  readonly keys: readonly string[];
  readonly shown: string;
  readonly meaning: string;
  readonly run: (page: KeyedPage) => void;
}

function key<Action extends string>(
  action: Action,
  group: ShortcutGroup,
  [keys, shown]: readonly [keys: readonly string[], shown: string],
  meaning: string,
  run: Shortcut<Action>['run'],
  when: When = {},
): Shortcut<Action> {
  return { action, group, keys, shown, meaning, run, ...when };
}

function replayKey<Action extends string>(
  action: Action,
  shown: readonly [keys: readonly string[], shown: string],
  meaning: string,
  command: Parameters<Lookout['replay']['command']>[0],
  shift?: boolean,
): Shortcut<Action> {
  const when: When = shift === undefined ? { inReplay: true } : { inReplay: true, shift };
  return key(action, 'replay', shown, meaning, ({ lookout }) => lookout.replay.command(command), when);
}

const onMap = (command: MapCommand) => (page: KeyedPage) => page.lookout.mapCommands.run(command);

const onFocus =
  (changed: (state: TrackFocus) => TrackFocus) =>
  ({ lookout: { display, selecting } }: KeyedPage) => {
    if (display.summary().selectedRef !== undefined) selecting.changeFocus(changed);
  };

/** The keys of the page: what the help says of each, and what each does. A new one is a row here, and nothing else. */
export const SHORTCUTS = [
  key(
    'clear-selection',
    'track',
    [['escape'], 'Esc'],
    'End measuring or drawing, or clear the selection and the marked place',
    ({ lookout: { display, drawing, markedPlace, measuring, zones } }) => {
      if (measuring.change(ended) || zones.stopDrawing()) return;
      if (drawing.get().tool !== undefined) return drawing.end();
      display.select(undefined);
      markedPlace.remove();
    },
  ),
  key('zoom-in', 'map', [['+', '='], '+'], 'Zoom in', onMap({ kind: 'zoom', by: 1 })),
  key('zoom-out', 'map', [['-', '−', '_'], '−'], 'Zoom out', onMap({ kind: 'zoom', by: -1 })),
  key('home', 'map', [['h'], 'H'], 'Home view', onMap({ kind: 'home' })),
  key('toggle-panel', 'page', [['v'], 'V'], 'Show or hide the panel', ({ shell }) =>
    shell.setPanelOpen(!shell.panelOpen),
  ),
  key('find', 'page', [['/'], '/ or Ctrl K'], 'Find a reference, a place, an airport or coordinates', ({ shell }) =>
    shell.setFindOpen(true),
  ),
  key('show-middle', 'map', [['c'], 'C'], 'Coordinates of the middle of the map', onMap({ kind: 'show-middle' })),
  key('next-labels', 'map', [['l'], 'L'], 'Labels: off, reference, full', ({ preferences, change }) =>
    change({ labels: nextOf(LABEL_LEVELS, preferences.labels) }),
  ),
  key('next-trails', 'map', [['t'], 'T'], 'Trails: off, selected, all', ({ preferences, change }) =>
    change({ trails: nextOf(TRAIL_LEVELS, preferences.trails) }),
  ),
  key('next-units', 'page', [['u'], 'U'], 'Units: metric, aviation, imperial', ({ preferences, change }) =>
    change({ units: nextOf(UNIT_SYSTEMS, preferences.units) }),
  ),
  key('toggle-zone', 'page', [['z'], 'Z'], 'UTC or local time', ({ preferences, change }) =>
    change({ zone: preferences.zone === 'utc' ? 'local' : 'utc' }),
  ),
  key('toggle-replay', 'replay', [['r'], 'R'], 'Replay, or back to live', ({ lookout }) => toggleReplay(lookout)),
  replayKey('toggle-play', [[' '], 'Space'], 'Play or pause', { do: 'toggle' }),
  replayKey('step-back', [['arrowleft'], '←'], '1 s back', { do: 'step', byMs: -STEP_MS }, false),
  replayKey('step-forward', [['arrowright'], '→'], '1 s forward', { do: 'step', byMs: STEP_MS }, false),
  replayKey('step-back-ten', [['arrowleft'], '⇧←'], '10 s back', { do: 'step', byMs: -10 * STEP_MS }, true),
  replayKey('step-forward-ten', [['arrowright'], '⇧→'], '10 s forward', { do: 'step', byMs: 10 * STEP_MS }, true),
  replayKey('slower', [['['], '['], 'Slower', { do: 'slower' }),
  replayKey('faster', [[']'], ']'], 'Faster', { do: 'faster' }),
  replayKey('first', [['home'], 'Home'], 'To the start', { do: 'first' }),
  replayKey('last', [['end'], 'End'], 'To the end', { do: 'last' }),
  key('share', 'page', [['s'], 'S'], 'Share: copy the link of what you see', ({ shell }) => shell.share.start()),
  key('next-emergency', 'track', [['e'], 'E'], 'Go to the next emergency', ({ lookout }) => goToNextEmergency(lookout)),
  key('go-to-table', 'track', [['j'], 'J'], 'Go to the table of tracks', ({ shell }) => shell.goToTable()),
  key('follow', 'track', [['f'], 'F'], 'Follow the selected track', onFocus(afterFollowKey)),
  key('isolate', 'track', [['i'], 'I'], 'Isolate the selected track: others faint', onFocus(afterIsolateKey)),
  key('measure', 'map', [['m'], 'M'], 'Measure distance and bearing, or end it', ({ lookout }) => {
    if (lookout.mapAbsence.get() === undefined) lookout.measuring.change(measureToggled);
  }),
  key('draw-area', 'map', [['d'], 'D'], 'Draw an area, or end drawing', ({ lookout }) => {
    if (lookout.mapAbsence.get() === undefined) toggleDrawing(lookout);
  }),
  key('alarms', 'page', [['w'], 'W'], 'Zones and alarms: what Lookout watches', ({ lookout, shell }) => {
    lookout.zones.showPage('alarms');
    shell.openZones();
  }),
  key(
    'acknowledge',
    'page',
    [['a'], 'A'],
    'Go to the first new alarm; again: acknowledge it',
    ({ lookout: { zones }, shell }) => {
      zones.showPage('alarms');
      shell.openZones();
      // The form of a zone hides the list.
      if (zones.draft.get() === undefined) zones.isAlarmWanted.set(true);
    },
  ),
  key('incident-note', 'page', [['n'], 'N'], 'Note on the open incident', ({ lookout }) =>
    lookout.incidents.set({ do: 'note' }),
  ),
  key(
    'new-incident',
    'page',
    [['o'], 'O'],
    'New incident: of the replay, the drawn area or the selected track',
    ({ lookout }) => lookout.incidents.set({ do: 'open', source: { from: 'here' } }),
  ),
  key(
    'remove-point',
    'map',
    [['backspace'], '⌫'],
    'Measuring or drawing: remove the last point',
    ({ lookout: { drawing, measuring, zones } }) => {
      if (!measuring.change(withoutLast) && !zones.run('undo')) drawing.change(withoutLastCorner);
    },
  ),
  key('toggle-help', 'page', [['?'], '?'], 'This help', ({ shell }) => shell.setHelpOpen(!shell.helpOpen)),
];

type ShortcutAction = (typeof SHORTCUTS)[number]['action'];

interface ShortcutsProps {
  readonly shell: ShellState;
  /** Keys that were pressed before this code arrived. */
  readonly early: KeyboardEvent[];
}

/** Runs the shortcut of each key that is pressed, except where a dialog or menu has handled it, such as Esc. */
export function Shortcuts({ shell, early }: ShortcutsProps): null {
  const lookout = useLookout();
  const isReplaying = useIsReplaying();
  const [preferences, change] = usePreferences();

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const modified = isModified(event);
    const { shiftKey: shift, target } = event;
    const pressed = keyOfEvent(event);
    if (pressed === undefined) return;
    const commanded = (event.ctrlKey || event.metaKey) && !event.altKey && !shift;
    const typing = isTextField(target);
    const press = { key: pressed, modified, commanded, shift, typing, onControl: isControl(target) };
    const action = shortcutFor(press, { singleKeys: preferences.singleKeys, isReplaying });
    const shortcut = SHORTCUTS.find((candidate) => candidate.action === action);
    if (!shortcut) return;
    event.preventDefault();
    shortcut.run({ lookout, shell, preferences, change });
  });

  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event);
    for (const event of early.splice(0)) onKeyDown(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, [early]);
  return null;
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('button, a, summary, [role="switch"], [role="row"]') !== null;
}

export interface KeyPress {
  readonly key: string;
  /** Whether Ctrl, Alt or Meta is pressed: such keys are reserved for the browser and assistive tools. */
  readonly modified: boolean;
  /** Whether Ctrl or Meta alone is pressed, as for the usual search key. */
  readonly commanded?: boolean;
  readonly typing: boolean;
  readonly shift: boolean;
  readonly onControl: boolean;
}

export interface ShortcutMode {
  readonly singleKeys: boolean;
  readonly isReplaying: boolean;
}

/** @returns the action of a key: single characters have none while typing, or if they are switched off */
export function shortcutFor(
  { key, modified, commanded, typing, shift, onControl }: KeyPress,
  { singleKeys, isReplaying }: ShortcutMode,
): ShortcutAction | undefined {
  // The usual search key works everywhere, also in a text field.
  if (commanded && key === 'k') return 'find';
  if (modified || typing) return undefined;
  if (key.length === 1 && !singleKeys) return undefined;
  if (key === ' ' && onControl) return undefined;
  return SHORTCUTS.find(
    (shortcut) =>
      shortcut.keys.includes(key) &&
      (isReplaying || !shortcut.inReplay) &&
      (shortcut.shift === undefined || shortcut.shift === shift),
  )?.action;
}
