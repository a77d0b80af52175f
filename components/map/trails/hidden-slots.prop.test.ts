import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hiddenSlots } from './replay-trails.ts';

const slots = fc.array(fc.record({ used: fc.boolean(), shown: fc.boolean() }), { maxLength: 60 });

function pictured(tracks: readonly { used: boolean; shown: boolean }[]) {
  const shown = tracks.flatMap(({ used, shown }, slot) => (used && shown ? [slot] : []));
  return [
    { used: Uint8Array.from(tracks, ({ used }) => (used ? 1 : 0)), end: tracks.length },
    { slot: Uint32Array.from([...shown, 7, 7]), count: shown.length },
  ] as const;
}

test('Hidden are the tracks with a position and without a mark; the same set stays the same object', () => {
  fc.assert(
    fc.property(slots, slots, (one, other) => {
      const hidden = hiddenSlots(...pictured(one), new Set());
      const expected = one.flatMap(({ used, shown }, slot) => (used && !shown ? [slot] : []));
      expect([...hidden]).toEqual(expected);
      expect(hiddenSlots(...pictured(one), hidden)).toBe(hidden);
      const next = hiddenSlots(...pictured(other), hidden);
      expect(next === hidden).toBe([...next].join() === [...hidden].join());
    }),
  );
});
