export const SHORTCUT_GROUPS = ['map', 'track', 'replay', 'page'] as const;
export type ShortcutGroup = (typeof SHORTCUT_GROUPS)[number];

interface Shortcut<Action extends string> extends When {
  readonly action: Action;
  readonly group: ShortcutGroup;
  readonly keys: readonly string[];
  readonly shown: string;
  readonly meaning: string;
}

interface When {
  /** While live, the key belongs to the map or the browser. */
  readonly inReplay?: true;
  /** Whether Shift must be pressed; `undefined`: either way. */
  readonly shift?: boolean;
}

function key<Action extends string>(
  action: Action,
  group: ShortcutGroup,
  keys: readonly string[],
  shown: string,
  meaning: string,
  when: When = {},
): Shortcut<Action> {
  return { action, group, keys, shown, meaning, ...when };
}

export const SHORTCUTS = [
  key(
    'clear-selection',
    'track',
    ['escape'],
    'Esc',
    'End measuring or drawing, or clear the selection and the marked place',
  ),
  key('zoom-in', 'map', ['+', '='], '+', 'Zoom in'),
  key('zoom-out', 'map', ['-', '−', '_'], '−', 'Zoom out'),
  key('home', 'map', ['h'], 'H', 'Home view'),
  key('toggle-panel', 'page', ['v'], 'V', 'Show or hide the panel'),
  key('find', 'page', ['/'], '/ or Ctrl K', 'Find a reference, a place, an airport or coordinates'),
  key('show-middle', 'map', ['c'], 'C', 'Coordinates of the middle of the map'),
  key('next-labels', 'map', ['l'], 'L', 'Labels: off, reference, full'),
  key('next-trails', 'map', ['t'], 'T', 'Trails: off, selected, all'),
  key('next-units', 'page', ['u'], 'U', 'Units: metric, aviation, imperial'),
  key('toggle-zone', 'page', ['z'], 'Z', 'UTC or local time'),
  key('toggle-replay', 'replay', ['r'], 'R', 'Replay, or back to live'),
  key('toggle-play', 'replay', [' '], 'Space', 'Play or pause', { inReplay: true }),
  key('step-back', 'replay', ['arrowleft'], '←', '1 s back', { inReplay: true, shift: false }),
  key('step-forward', 'replay', ['arrowright'], '→', '1 s forward', { inReplay: true, shift: false }),
  key('step-back-ten', 'replay', ['arrowleft'], '⇧←', '10 s back', { inReplay: true, shift: true }),
  key('step-forward-ten', 'replay', ['arrowright'], '⇧→', '10 s forward', { inReplay: true, shift: true }),
  key('slower', 'replay', ['['], '[', 'Slower', { inReplay: true }),
  key('faster', 'replay', [']'], ']', 'Faster', { inReplay: true }),
  key('first', 'replay', ['home'], 'Home', 'To the start', { inReplay: true }),
  key('last', 'replay', ['end'], 'End', 'To the end', { inReplay: true }),
  key('share', 'page', ['s'], 'S', 'Share: copy the link of what you see'),
  key('next-emergency', 'track', ['e'], 'E', 'Go to the next emergency'),
  key('go-to-table', 'track', ['j'], 'J', 'Go to the table of tracks'),
  key('follow', 'track', ['f'], 'F', 'Follow the selected track'),
  key('isolate', 'track', ['i'], 'I', 'Isolate the selected track: others faint'),
  key('measure', 'map', ['m'], 'M', 'Measure distance and bearing, or end it'),
  key('draw-area', 'map', ['a'], 'A', 'Draw an area, or end drawing'),
  key('alarms', 'page', ['w'], 'W', 'Zones and alarms: what Lookout watches'),
  key('remove-point', 'map', ['backspace'], '⌫', 'Measuring or drawing: remove the last point'),
  key('toggle-help', 'page', ['?'], '?', 'This help'),
];

export type ShortcutAction = (typeof SHORTCUTS)[number]['action'];

export interface KeyPress {
  readonly key: string;
  /** With Ctrl, Alt or Meta: reserved for the browser and assistive tools. */
  readonly modified: boolean;
  /** With Ctrl or Meta alone. */
  readonly commanded?: boolean;
  readonly typing: boolean;
  readonly shift: boolean;
  readonly onControl: boolean;
}

export interface ShortcutMode {
  readonly singleKeys: boolean;
  readonly isReplaying: boolean;
}

/** Single characters have none while typing, or if they are switched off. */
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
