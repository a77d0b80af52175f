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
  | 'toggle-help';

export interface Shortcut {
  readonly action: ShortcutAction;
  /** Values of `KeyboardEvent.key`, lower case, any of which asks for it. */
  readonly keys: readonly string[];
  /** As written for people. */
  readonly shown: string;
  readonly meaning: string;
}

export const SHORTCUTS: readonly Shortcut[] = [
  { action: 'clear-selection', keys: ['escape'], shown: 'Esc', meaning: 'Clear the selection' },
  { action: 'zoom-in', keys: ['+', '='], shown: '+', meaning: 'Zoom in' },
  { action: 'zoom-out', keys: ['-', '−', '_'], shown: '−', meaning: 'Zoom out' },
  { action: 'home', keys: ['h'], shown: 'H', meaning: 'Home view' },
  { action: 'toggle-panel', keys: ['v'], shown: 'V', meaning: 'Show or hide the panel' },
  { action: 'search', keys: ['/'], shown: '/', meaning: 'Find a reference' },
  { action: 'next-labels', keys: ['l'], shown: 'L', meaning: 'Labels: off, reference, full' },
  { action: 'next-units', keys: ['u'], shown: 'U', meaning: 'Units: metric, aviation, imperial' },
  { action: 'toggle-zone', keys: ['z'], shown: 'Z', meaning: 'UTC or local time' },
  { action: 'toggle-help', keys: ['?'], shown: '?', meaning: 'This help' },
];

export interface KeyPress {
  readonly key: string;
  /** With Ctrl, Alt or Meta held: the browser's own, or an assistive tool's. */
  readonly modified: boolean;
  /** In a field that takes text. */
  readonly typing: boolean;
}

/** What a key press asks for. Single characters ask for nothing while typing, and where they are switched off. */
export function shortcutFor({ key, modified, typing }: KeyPress, singleKeys: boolean): ShortcutAction | undefined {
  if (modified || typing) return undefined;
  const pressed = key.toLowerCase();
  if (pressed.length === 1 && !singleKeys) return undefined;
  return SHORTCUTS.find(({ keys }) => keys.includes(pressed))?.action;
}
