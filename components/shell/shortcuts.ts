/** What a key asks for. */
export type ShortcutAction =
  | 'clear-selection'
  | 'zoom-in'
  | 'zoom-out'
  | 'home'
  | 'toggle-panel'
  | 'search'
  | 'next-units'
  | 'toggle-zone'
  | 'next-labels'
  | 'next-trails'
  | 'toggle-help'
  | 'toggle-replay'
  | 'toggle-play'
  | 'step-back'
  | 'step-on'
  | 'step-back-ten'
  | 'step-on-ten'
  | 'slower'
  | 'faster'
  | 'first'
  | 'last';

export interface Shortcut {
  readonly action: ShortcutAction;
  /** Values of `KeyboardEvent.key`, lower case, any of which asks for it. */
  readonly keys: readonly string[];
  /** As written for people. */
  readonly shown: string;
  readonly meaning: string;
  /** Only while a past moment is shown; live, the key is the map's or the browser's. */
  readonly inReplay?: true;
  readonly shift?: boolean;
}

export const SHORTCUTS: readonly Shortcut[] = [
  { action: 'clear-selection', keys: ['escape'], shown: 'Esc', meaning: 'Clear the selection' },
  { action: 'zoom-in', keys: ['+', '='], shown: '+', meaning: 'Zoom in' },
  { action: 'zoom-out', keys: ['-', '−', '_'], shown: '−', meaning: 'Zoom out' },
  { action: 'home', keys: ['h'], shown: 'H', meaning: 'Home view' },
  { action: 'toggle-panel', keys: ['v'], shown: 'V', meaning: 'Show or hide the panel' },
  { action: 'search', keys: ['/'], shown: '/', meaning: 'Find a reference' },
  { action: 'next-labels', keys: ['l'], shown: 'L', meaning: 'Labels: off, reference, full' },
  { action: 'next-trails', keys: ['t'], shown: 'T', meaning: 'Trails in a replay: off, selected, all' },
  { action: 'next-units', keys: ['u'], shown: 'U', meaning: 'Units: metric, aviation, imperial' },
  { action: 'toggle-zone', keys: ['z'], shown: 'Z', meaning: 'UTC or local time' },
  { action: 'toggle-replay', keys: ['r'], shown: 'R', meaning: 'Replay, or back to live' },
  { action: 'toggle-play', keys: [' '], shown: 'Space', meaning: 'Replay: play or pause', inReplay: true },
  { action: 'step-back', keys: ['arrowleft'], shown: '←', meaning: 'Replay: 1 s back', inReplay: true, shift: false },
  { action: 'step-on', keys: ['arrowright'], shown: '→', meaning: 'Replay: 1 s on', inReplay: true, shift: false },
  {
    action: 'step-back-ten',
    keys: ['arrowleft'],
    shown: '⇧←',
    meaning: 'Replay: 10 s back',
    inReplay: true,
    shift: true,
  },
  { action: 'step-on-ten', keys: ['arrowright'], shown: '⇧→', meaning: 'Replay: 10 s on', inReplay: true, shift: true },
  { action: 'slower', keys: ['['], shown: '[', meaning: 'Replay: slower', inReplay: true },
  { action: 'faster', keys: [']'], shown: ']', meaning: 'Replay: faster', inReplay: true },
  { action: 'first', keys: ['home'], shown: 'Home', meaning: 'Replay: to the start', inReplay: true },
  { action: 'last', keys: ['end'], shown: 'End', meaning: 'Replay: to the end', inReplay: true },
  { action: 'toggle-help', keys: ['?'], shown: '?', meaning: 'This help' },
];

export interface KeyPress {
  readonly key: string;
  /** With Ctrl, Alt or Meta held: the browser's own, or an assistive tool's. */
  readonly modified: boolean;
  /** In a field that takes text. */
  readonly typing: boolean;
  readonly shift: boolean;
  /** On a button or the like, which the space bar presses. */
  readonly onControl: boolean;
}

/** What a key press asks for depends on it. */
export interface ShortcutMode {
  /** False where the operator switched single characters off. */
  readonly singleKeys: boolean;
  readonly isReplaying: boolean;
}

/** What a key press asks for. Single characters ask for nothing while typing, and where they are switched off. */
export function shortcutFor(
  { key, modified, typing, shift, onControl }: KeyPress,
  { singleKeys, isReplaying }: ShortcutMode,
): ShortcutAction | undefined {
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
