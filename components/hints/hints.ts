export interface Hint {
  /** The name that the browser stores when the hint is dismissed. */
  readonly name: string;
  readonly text: string;
}

export const HINTS: readonly Hint[] = [
  {
    name: 'marks',
    text: 'Marks with stripes or SIM, and those tagged TEST, are not traffic. A mark fades with its age, turns hollow when it expires, and goes.',
  },
  {
    name: 'card',
    text: 'Click a mark or a row for all that was received of it; Shift adds more, by click or box. “Not reported” is never 0.',
  },
  { name: 'replay', text: 'R replays the last hour. An amber frame and the word REPLAY tell it from live.' },
  {
    name: 'share',
    text: 'W opens zones and alarms. S shares what you see, as a link or a picture. The key ? explains every key and mark.',
  },
];
