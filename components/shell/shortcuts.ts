/** What a key does. */
export type ShortcutAction =
  | 'clear-selection'
  | 'zoom-in'
  | 'zoom-out'
  | 'home'
  | 'toggle-panel'
  | 'find'
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
  | 'remove-point'
  | 'share'
  | 'next-emergency';

export interface Shortcut {
  readonly action: ShortcutAction;
  /** Values of `KeyboardEvent.key` in lower case, any of which triggers the action. */
  readonly keys: readonly string[];
  /** The key as shown in the help. */
  readonly shown: string;
  readonly meaning: string;
  /** Only in a replay; while live, the key belongs to the map or the browser. */
  readonly inReplay?: true;
  /** Whether Shift must be pressed; `undefined`: either way. */
  readonly shift?: boolean;
}

export const SHORTCUTS: readonly Shortcut[] = [
  {
    action: 'clear-selection',
    keys: ['escape'],
    shown: 'Esc',
    meaning: 'End measuring, or clear the selection and the marked place',
  },
  { action: 'zoom-in', keys: ['+', '='], shown: '+', meaning: 'Zoom in' },
  { action: 'zoom-out', keys: ['-', '−', '_'], shown: '−', meaning: 'Zoom out' },
  { action: 'home', keys: ['h'], shown: 'H', meaning: 'Home view' },
  { action: 'toggle-panel', keys: ['v'], shown: 'V', meaning: 'Show or hide the panel' },
  {
    action: 'find',
    keys: ['/'],
    shown: '/ or Ctrl K',
    meaning: 'Find a reference, a place, an airport or coordinates',
  },
  { action: 'show-middle', keys: ['c'], shown: 'C', meaning: 'Coordinates of the middle of the map' },
  { action: 'next-labels', keys: ['l'], shown: 'L', meaning: 'Labels: off, reference, full' },
  { action: 'next-trails', keys: ['t'], shown: 'T', meaning: 'Trails: off, selected, all' },
  { action: 'next-units', keys: ['u'], shown: 'U', meaning: 'Units: metric, aviation, imperial' },
  { action: 'toggle-zone', keys: ['z'], shown: 'Z', meaning: 'UTC or local time' },
  { action: 'toggle-replay', keys: ['r'], shown: 'R', meaning: 'Replay, or back to live' },
  { action: 'toggle-play', keys: [' '], shown: 'Space', meaning: 'Replay: play or pause', inReplay: true },
  { action: 'step-back', keys: ['arrowleft'], shown: '←', meaning: 'Replay: 1 s back', inReplay: true, shift: false },
  {
    action: 'step-forward',
    keys: ['arrowright'],
    shown: '→',
    meaning: 'Replay: 1 s forward',
    inReplay: true,
    shift: false,
  },
  {
    action: 'step-back-ten',
    keys: ['arrowleft'],
    shown: '⇧←',
    meaning: 'Replay: 10 s back',
    inReplay: true,
    shift: true,
  },
  {
    action: 'step-forward-ten',
    keys: ['arrowright'],
    shown: '⇧→',
    meaning: 'Replay: 10 s forward',
    inReplay: true,
    shift: true,
  },
  { action: 'slower', keys: ['['], shown: '[', meaning: 'Replay: slower', inReplay: true },
  { action: 'faster', keys: [']'], shown: ']', meaning: 'Replay: faster', inReplay: true },
  { action: 'first', keys: ['home'], shown: 'Home', meaning: 'Replay: to the start', inReplay: true },
  { action: 'last', keys: ['end'], shown: 'End', meaning: 'Replay: to the end', inReplay: true },
  { action: 'share', keys: ['s'], shown: 'S', meaning: 'Share: copy the link of what you see' },
  { action: 'next-emergency', keys: ['e'], shown: 'E', meaning: 'Go to the next emergency' },
  { action: 'follow', keys: ['f'], shown: 'F', meaning: 'Follow the selected track' },
  { action: 'isolate', keys: ['i'], shown: 'I', meaning: 'Isolate the selected track: others faint' },
  { action: 'measure', keys: ['m'], shown: 'M', meaning: 'Measure distance and bearing, or end it' },
  { action: 'remove-point', keys: ['backspace'], shown: '⌫', meaning: 'Measuring: remove the last point' },
  { action: 'toggle-help', keys: ['?'], shown: '?', meaning: 'This help' },
];

export interface KeyPress {
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
  if (commanded && key.toLowerCase() === 'k') return 'find';
  if (modified || typing) return undefined;
  const pressed = key.toLowerCase();
  if (pressed.length === 1 && !singleKeys) return undefined;
  if (pressed === ' ' && onControl) return undefined;
  return SHORTCUTS.find(
    (shortcut) =>
      shortcut.keys.includes(pressed) &&
      (isReplaying || !shortcut.inReplay) &&
      (shortcut.shift === undefined || shortcut.shift === shift),
  )?.action;
}
