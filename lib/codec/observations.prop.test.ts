import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Position } from '#lib/model/position.ts';
import { addMs } from '#lib/time/instant.ts';
import { anyPosition } from './arbitrary-position.fixture.ts';
import { decodeObservations, encodeObservations } from './observations.ts';
import { quantise } from './quantise.ts';
import { referenceAt } from './quantised-records.ts';

/** A few references, each with many observations, some at the same time. */
const observations = fc
  .array(fc.tuple(anyPosition, fc.array(fc.tuple(anyPosition, fc.nat({ max: 20 })), { maxLength: 8 })), {
    maxLength: 6,
  })
  .map((tracks) =>
    tracks.flatMap(([first, rest]): Position[] => [
      first,
      ...rest.map(([other, step]) => ({ ...other, ref: first.ref, observedAt: addMs(first.observedAt, step * 1000) })),
    ]),
  );

const row = (position: Position) =>
  JSON.stringify([position.ref, position.observedAt, quantise([position]).quantities]);

describe('encoded observations', () => {
  test('are decoded exactly once each, to the stated precision, in any order', () => {
    fc.assert(
      fc.property(observations, (all) => {
        const byKey = new Map<string, Position>();
        for (const position of all) {
          const key = `${position.ref} ${position.observedAt}`;
          if (!byKey.has(key)) byKey.set(key, position);
        }
        const expected = [...byKey.values()].map(row);
        const decoded = decodeObservations(encodeObservations(all)).flatMap((round) =>
          Array.from({ length: round.count }, (_, index) => {
            const ref = referenceAt(round, index);
            const original = byKey.get(`${ref} ${round.observedAtMs[index]}`);
            return original ? row(original) : 'not there';
          }),
        );
        expect(new Set(decoded)).toEqual(new Set(expected));
        expect(decoded).toHaveLength(expected.length);
      }),
    );
  });

  test('may be empty', () => {
    expect(decodeObservations(encodeObservations([]))).toEqual([]);
  });

  test('damaged bytes are rejected or decode to other observations; the decoder never hangs', () => {
    fc.assert(
      fc.property(observations, fc.nat(), fc.nat(255), (all, at, bits) => {
        const bytes = encodeObservations(all);
        bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ bits;
        try {
          for (const round of decodeObservations(bytes)) expect(round.observedAtMs).toHaveLength(round.count);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
  });

  test('truncated bytes are rejected', () => {
    fc.assert(
      fc.property(observations, fc.nat(), (all, at) => {
        const bytes = encodeObservations(all);
        expect(() => decodeObservations(bytes.subarray(0, at % bytes.length))).toThrow(Error);
      }),
    );
  });
});
