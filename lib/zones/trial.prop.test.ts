import fc from 'fast-check';
import { expect, test } from 'vitest';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { WATCHED_AS } from './stretches/watched-reception.ts';
import { pastNotes, UNREAD } from './trial.ts';

const window = fc
  .tuple(fc.nat(1000), fc.integer({ min: 1, max: 1000 }), fc.constantFrom(UNREAD, WATCHED_AS.partly, WATCHED_AS.lost))
  .map(([start, length, why]) => ({ start: upstreamInstant(start), end: upstreamInstant(start + length), ...why }));

test('notes on the past cover its window once, and are not watched just where it has gaps', () => {
  fc.assert(
    fc.property(window, fc.array(window, { maxLength: 6 }), ({ start, end }, gaps) => {
      const notes = pastNotes({ zoneId: 'zone', layer: 'rid' }, { start, end }, gaps);
      expect([notes[0]?.from, ...notes.map(({ to }) => to)]).toEqual([...notes.map(({ from }) => from), end]);
      expect(notes[0]?.from).toBe(start);
      for (const { from, to, state, reason } of notes) {
        const middleMs = (epochMs(from) + epochMs(to)) / 2;
        const over = gaps.filter((gap) => epochMs(gap.start) < middleMs && epochMs(gap.end) > middleMs);
        const states = over.map((gap) => gap.state);
        expect(state).toBe(states.includes('not_watched') ? 'not_watched' : (states[0] ?? 'watched'));
        expect(reason === null).toBe(state === 'watched');
      }
    }),
  );
});
