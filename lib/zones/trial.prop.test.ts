import fc from 'fast-check';
import { expect, test } from 'vitest';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { pastNotes } from './trial.ts';

const window = fc
  .tuple(fc.nat(1000), fc.integer({ min: 1, max: 1000 }))
  .map(([start, length]) => ({ start: upstreamInstant(start), end: upstreamInstant(start + length) }));

test('notes on the past cover its window once, and are not watched just where it has gaps', () => {
  fc.assert(
    fc.property(window, fc.array(window, { maxLength: 6 }), ({ start, end }, gaps) => {
      const notes = pastNotes({ zoneId: 'zone', layer: 'rid' }, { start, end }, gaps);
      expect([notes[0]?.from, ...notes.map(({ to }) => to)]).toEqual([...notes.map(({ from }) => from), end]);
      expect(notes[0]?.from).toBe(start);
      for (const { from, to, state } of notes) {
        const middleMs = (epochMs(from) + epochMs(to)) / 2;
        const isGap = gaps.some((gap) => epochMs(gap.start) < middleMs && epochMs(gap.end) > middleMs);
        expect(state).toBe(isGap ? 'not_watched' : 'watched');
      }
    }),
  );
});
