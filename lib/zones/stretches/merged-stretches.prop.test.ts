import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LayerStretch, UNWATCHED_REASONS } from '../alarm.ts';
import { mergedStretches, type StretchOfLayer } from './merged-stretches.ts';

const anyStretches = (layer: LayerStretch['layer']) =>
  fc
    .array(
      fc.record({
        gap: fc.nat(3),
        long: fc.integer({ min: 1, max: 5 }),
        state: fc.constantFrom('watched', 'partly', 'not_watched'),
        reason: fc.constantFrom(...UNWATCHED_REASONS),
      }),
      { maxLength: 8 },
    )
    .map((parts) => {
      let at = 0;
      return parts.map(({ gap, long, state, reason }): StretchOfLayer => {
        const fromMs = at + gap;
        at = fromMs + long;
        return { layer, fromMs, toMs: at, state, reason: state === 'watched' ? null : reason };
      });
    });

test('a zone is watched exactly when all its layers are, and never with a reason', () => {
  fc.assert(
    fc.property(anyStretches('rid'), anyStretches('adsb'), (rid, adsb) => {
      const merged = mergedStretches([...rid, ...adsb]);
      for (let ms = 0; ms < 64; ms++) {
        const over = [...rid, ...adsb].filter(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);
        const states = over.map(({ state }) => state);
        const [found, ...more] = merged.filter(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);
        expect(more).toEqual([]);
        const [first] = states;
        const expected = states.every((state) => state === first) ? first : 'partly';
        expect(found?.state).toBe(expected);
        if (found) expect(found.reason === null).toBe(found.state === 'watched');
      }
      merged.slice(1).forEach((next, index) => {
        const { toMs, state, reason } = merged[index]!;
        expect(toMs).toBeLessThanOrEqual(next.fromMs);
        expect(toMs === next.fromMs && state === next.state && reason === next.reason).toBe(false);
      });
    }),
  );
});

test('the reason is that of a layer that lost its receivers, rather than of one that never had any', () => {
  const span = { fromMs: 0, toMs: 10 };
  const none = { layer: 'rid', ...span, state: 'not_watched', reason: 'not_equipped' } as const;
  const reasonWith = (state: 'watched' | 'partly' | 'not_watched', reason: StretchOfLayer['reason']) =>
    mergedStretches([none, { layer: 'adsb', ...span, state, reason }]).map((merged) => [merged.state, merged.reason]);
  expect(reasonWith('watched', null)).toEqual([['partly', 'not_equipped']]);
  expect(reasonWith('partly', 'receivers_partly')).toEqual([['partly', 'receivers_partly']]);
  expect(reasonWith('not_watched', 'receivers_lost')).toEqual([['not_watched', 'receivers_lost']]);
});
