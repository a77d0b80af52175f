import 'server-only';
import type { MinuteLetter } from '#lib/api/history-line.ts';
import { type UnheardStretch, worstOfMinutes } from '#lib/model/past-reception.ts';
import { msBetween } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import type { PartState, PartStatus } from './split/part.ts';

const letterOf: Readonly<Record<PartStatus, MinuteLetter>> = {
  complete: 'c',
  incomplete: 't',
  waiting: 'l',
  loading: 'l',
  failed: 'f',
  'not-requested': 'n',
};

/** A minute with several states gets the first of these. */
const PRECEDENCE = 'fltnc';

/** `hiddenBy`: what a later load can bring, and the stronger of two lacks. */
const UNHEARD: Readonly<Record<UnheardStretch['state'], { readonly letter: MinuteLetter; readonly hiddenBy: string }>> =
  {
    lost: { letter: 'r', hiddenBy: 'fln' },
    none: { letter: 'e', hiddenBy: 'fln' },
    partly: { letter: 'p', hiddenBy: 'flnt' },
  };

/** @param unheard counts where all parts of a minute are loaded */
export function minuteLetters(
  window: Window,
  parts: readonly Pick<PartState, 'window' | 'status'>[],
  unheard: readonly UnheardStretch[] = [],
): string {
  const letters = new Array<MinuteLetter | undefined>(Math.ceil(msBetween(window.start, window.end) / MINUTE_MS)).fill(
    undefined,
  );
  for (const { window: span, status } of parts) {
    const letter = letterOf[status];
    const first = Math.max(0, Math.floor(msBetween(window.start, span.start) / MINUTE_MS));
    const end = Math.min(letters.length, Math.ceil(msBetween(window.start, span.end) / MINUTE_MS));
    for (let minute = first; minute < end; minute++) {
      const before = letters[minute];
      if (before === undefined || PRECEDENCE.indexOf(letter) < PRECEDENCE.indexOf(before)) letters[minute] = letter;
    }
  }
  for (const [minute, state] of worstOfMinutes(window.start, unheard)) {
    const { letter, hiddenBy } = UNHEARD[state];
    if (!hiddenBy.includes(letters[minute] ?? 'n')) letters[minute] = letter;
  }
  // Minutes without a part were not requested.
  return letters.map((letter) => letter ?? 'n').join('');
}
