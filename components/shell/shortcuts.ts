/** What a key does. */
export type ShortcutAction =
  | 'clear-selection'
  | 'zoom-in'
  | 'zoom-out'
  | 'home'
  | 'toggle-panel'
  | 'find'
  | 'go-to-table'
  | 'show-middle'
  | 'next-units'
  | 'toggle-zone'
  | 'next-labels'
  | 'next-trails'
  | 'follow'
  | 'isolate'
  | 'toggle-help'
  | 'toggle-replay'
  | 'toggle-play'
  | 'step-back'
  | 'step-forward'
  | 'step-back-ten'
  | 'step-forward-ten'
  | 'slower'
  | 'faster'
  | 'first'
  | 'last'
  | 'measure'
  | 'draw-area'
  | 'remove-point'
  | 'share'
  | 'next-emergency';

export const SHORTCUT_GROUPS = ['map', 'track', 'replay', 'page'] as const;
export type ShortcutGroup = (typeof SHORTCUT_GROUPS)[number];

export interface Shortcut {
  readonly action: ShortcutAction;
  /** Values of `pressedKey`, any of which triggers the action. */
  readonly keys: readonly string[];
  /** The key as shown in the help. */
  readonly shown: string;
  readonly meaning: string;
  /** Where the help lists it. */
  readonly group: ShortcutGroup;
  /** Only in a replay; while live, the key belongs to the map or the browser. */
  readonly inReplay?: true;
  /** Whether Shift must be pressed; `undefined`: either way. */
  readonly shift?: boolean;
}

export const SHORTCUTS: readonly Shortcut[] = [
  {
    action: 'clear-selection',
    group: 'track',
    keys: ['escape'],
    shown: 'Esc',
    meaning: 'End measuring or drawing, or clear the selection and the marked place',
  },
  { action: 'zoom-in', group: 'map', keys: ['+', '='], shown: '+', meaning: 'Zoom in' },
  { action: 'zoom-out', group: 'map', keys: ['-', '−', '_'], shown: '−', meaning: 'Zoom out' },
  { action: 'home', group: 'map', keys: ['h'], shown: 'H', meaning: 'Home view' },
  { action: 'toggle-panel', group: 'page', keys: ['v'], shown: 'V', meaning: 'Show or hide the panel' },
  {
    action: 'find',
    group: 'page',
    keys: ['/'],
    shown: '/ or Ctrl K',
    meaning: 'Find a reference, a place, an airport or coordinates',
  },
  { action: 'show-middle', group: 'map', keys: ['c'], shown: 'C', meaning: 'Coordinates of the middle of the map' },
  { action: 'next-labels', group: 'map', keys: ['l'], shown: 'L', meaning: 'Labels: off, reference, full' },
  { action: 'next-trails', group: 'map', keys: ['t'], shown: 'T', meaning: 'Trails: off, selected, all' },
  { action: 'next-units', group: 'page', keys: ['u'], shown: 'U', meaning: 'Units: metric, aviation, imperial' },
  { action: 'toggle-zone', group: 'page', keys: ['z'], shown: 'Z', meaning: 'UTC or local time' },
  { action: 'toggle-replay', group: 'replay', keys: ['r'], shown: 'R', meaning: 'Replay, or back to live' },
  { action: 'toggle-play', group: 'replay', keys: [' '], shown: 'Space', meaning: 'Play or pause', inReplay: true },
  {
    action: 'step-back',
    group: 'replay',
    keys: ['arrowleft'],
    shown: '←',
    meaning: '1 s back',
    inReplay: true,
    shift: false,
  },
  {
    action: 'step-forward',
    group: 'replay',
    keys: ['arrowright'],
    shown: '→',
    meaning: '1 s forward',
    inReplay: true,
    shift: false,
  },
  {
    action: 'step-back-ten',
    group: 'replay',
    keys: ['arrowleft'],
    shown: '⇧←',
    meaning: '10 s back',
    inReplay: true,
    shift: true,
  },
  {
    action: 'step-forward-ten',
    group: 'replay',
    keys: ['arrowright'],
    shown: '⇧→',
    meaning: '10 s forward',
    inReplay: true,
    shift: true,
  },
  { action: 'slower', group: 'replay', keys: ['['], shown: '[', meaning: 'Slower', inReplay: true },
  { action: 'faster', group: 'replay', keys: [']'], shown: ']', meaning: 'Faster', inReplay: true },
  { action: 'first', group: 'replay', keys: ['home'], shown: 'Home', meaning: 'To the start', inReplay: true },
  { action: 'last', group: 'replay', keys: ['end'], shown: 'End', meaning: 'To the end', inReplay: true },
  { action: 'share', group: 'page', keys: ['s'], shown: 'S', meaning: 'Share: copy the link of what you see' },
  { action: 'next-emergency', group: 'track', keys: ['e'], shown: 'E', meaning: 'Go to the next emergency' },
  { action: 'go-to-table', group: 'track', keys: ['j'], shown: 'J', meaning: 'Go to the table of tracks' },
  { action: 'follow', group: 'track', keys: ['f'], shown: 'F', meaning: 'Follow the selected track' },
  { action: 'isolate', group: 'track', keys: ['i'], shown: 'I', meaning: 'Isolate the selected track: others faint' },
  { action: 'measure', group: 'map', keys: ['m'], shown: 'M', meaning: 'Measure distance and bearing, or end it' },
  { action: 'draw-area', group: 'map', keys: ['a'], shown: 'A', meaning: 'Draw an area, or end drawing' },
  {
    action: 'remove-point',
    group: 'map',
    keys: ['backspace'],
    shown: '⌫',
    meaning: 'Measuring or drawing: remove the last point',
  },
  { action: 'toggle-help', group: 'page', keys: ['?'], shown: '?', meaning: 'This help' },
];

export interface KeyPress {
  /** As from `pressedKey`. */
  readonly key: string;
  /** With Ctrl, Alt or Meta: reserved for the browser and assistive tools. */
  readonly modified: boolean;
  /** With Ctrl or Meta alone. */
  readonly commanded?: boolean;
  /** In a text field. */
  readonly typing: boolean;
  readonly shift: boolean;
  /** On a button or similar, which the space bar activates. */
  readonly onControl: boolean;
}

/** What the meaning of a key press depends on. */
export interface ShortcutMode {
  /** False if the operator switched single-character keys off. */
  readonly singleKeys: boolean;
  readonly isReplaying: boolean;
}

/** The action of a key press. Single characters have none while typing, or if they are switched off. */
export function shortcutFor(
  { key, modified, commanded, typing, shift, onControl }: KeyPress,
  { singleKeys, isReplaying }: ShortcutMode,
): ShortcutAction | undefined {
  // The usual key for a search works everywhere, also in a text field.
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
