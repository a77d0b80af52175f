import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PacedChanges, type SpokenPicture } from './spoken-summary.tsx';

const layer = fc.record({
  received: fc.constantFrom('Aircraft: 3', 'Aircraft: 4', 'Aircraft: 2 simulated'),
  trouble: fc.constantFrom(undefined, undefined, 'stale', 'denied'),
  sentence: fc.constantFrom('Aircraft: up to date', 'Aircraft: no answer from the service'),
});
const picture: fc.Arbitrary<SpokenPicture> = fc.record({
  replayedAt: fc.constantFrom(undefined, undefined, '10:15:00Z'),
  layers: fc.tuple(layer, layer),
  selected: fc.constantFrom(undefined, 'Selected drone 1a2b: altitude 12 m'),
});
const steps = fc.array(fc.record({ picture, afterMs: fc.integer({ min: 0, max: 20_000 }) }), { maxLength: 60 });

test('Sentences come no faster than one can listen: at the pace asked for, and after 5 s where something went wrong', () => {
  fc.assert(
    fc.property(steps, fc.constantFrom(15_000, 30_000, 60_000), (seen, paceMs) => {
      const changes = new PacedChanges();
      let atMs = 0;
      let said: { readonly atMs: number; readonly picture: SpokenPicture } | undefined;
      for (const step of seen) {
        atMs += step.afterMs;
        const text = changes.next(step.picture, atMs, paceMs);
        if (text === undefined) continue;
        expect(text).not.toBe('');
        if (said) {
          const kind = ({ replayedAt, layers }: SpokenPicture) => [
            replayedAt !== undefined,
            ...layers.map((l) => l.trouble),
          ];
          const isSameKind = String(kind(said.picture)) === String(kind(step.picture));
          expect(atMs - said.atMs).toBeGreaterThanOrEqual(isSameKind ? paceMs : 5000);
        }
        said = { atMs, picture: step.picture };
      }
    }),
  );
});

test('Reads out differences as soon as the pace allows', () => {
  fc.assert(
    fc.property(picture, picture, (first, second) => {
      const changes = new PacedChanges();
      changes.next(first, 0, 30_000);
      const text = changes.next(second, 30_000, 30_000) ?? '';
      for (const [i, { received }] of second.layers.entries()) {
        expect(text.includes(received)).toBe(
          second.layers.some((l, j) => l.received === received && first.layers[j]?.received !== received),
        );
        expect(i).toBeLessThan(2);
      }
      expect(changes.next(second, 90_000, 30_000)).toBeUndefined();
    }),
  );
});
