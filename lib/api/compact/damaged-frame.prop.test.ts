import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyDelta } from './apply-delta.ts';
import { anyPositions, anyTwoSnapshots } from './arbitrary-position.fixture.ts';
import { decodeFull } from './decode-full.ts';
import { encodeDelta } from './encode-delta.ts';
import { encodeFull } from './encode-full.ts';
import { DELTA_FRAME, FULL_FRAME } from './frame-kind.ts';
import { quantise } from './quantise.ts';
import type { QuantisedRecords } from './quantised-records.ts';

const LONGEST_MS = 1000;

/** A copy with some bytes flipped, and cut or made longer. */
const damage = fc.record({
  flips: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { maxLength: 4 }),
  keep: fc.option(fc.nat()),
  more: fc.uint8Array({ maxLength: 3 }),
});

function damaged(bytes: Uint8Array, { flips, keep, more }: typeof damage extends fc.Arbitrary<infer T> ? T : never) {
  const copy = bytes.slice(0, keep === null ? bytes.length : keep % (bytes.length + 1));
  for (const [at, mask] of flips) if (copy.length > 0) copy[at % copy.length]! ^= mask;
  return Uint8Array.from([...copy, ...more]);
}

/** Refuses with an Error, or gives `expected` (where the damage is none), and soon. */
function expectRefusedOrEqual(decode: () => QuantisedRecords, expected: QuantisedRecords | undefined) {
  const startMs = performance.now();
  let decoded: QuantisedRecords | undefined;
  try {
    decoded = decode();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    // A RangeError or TypeError would be an accident that was not checked for.
    expect((error as Error).constructor).toBe(Error);
  }
  expect(performance.now() - startMs).toBeLessThan(LONGEST_MS);
  if (decoded) expect(decoded).toEqual(expected);
}

describe('a frame that is cut, flipped or longer than it was', () => {
  test('is refused in full form', () => {
    fc.assert(
      fc.property(anyPositions, damage, (positions, how) => {
        const records = quantise(positions);
        expectRefusedOrEqual(() => decodeFull(damaged(encodeFull(records), how)), records);
      }),
      { numRuns: 500 },
    );
  });

  test('is refused as a delta', () => {
    fc.assert(
      fc.property(anyTwoSnapshots, damage, (snapshots, how) => {
        const [before, after] = [quantise(snapshots.before), quantise(snapshots.after)];
        expectRefusedOrEqual(() => applyDelta(before, damaged(encodeDelta(before, after), how)).records, after);
      }),
      { numRuns: 500 },
    );
  });
});

test('any bytes behind a right beginning are refused', () => {
  fc.assert(
    fc.property(anyPositions, fc.uint8Array({ maxLength: 400, size: 'max' }), (positions, bytes) => {
      const before = quantise(positions);
      expect(() => decodeFull(Uint8Array.from([FULL_FRAME, ...bytes]))).toThrow(Error);
      expect(() => applyDelta(before, Uint8Array.from([DELTA_FRAME, ...bytes]))).toThrow(Error);
    }),
    { numRuns: 500 },
  );
});

test('a frame of the other kind or of another version is refused by its first byte', () => {
  const records = quantise([]);
  expect(() => decodeFull(encodeDelta(records, records))).toThrow('kind and version');
  expect(() => applyDelta(records, encodeFull(records))).toThrow('kind and version');
  expect(() => decodeFull(new Uint8Array(0))).toThrow('cut');
});

test('a count that no frame of that length can hold claims no memory', () => {
  const huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f];
  const fingerprint = [0, 0, 0, 0];
  // Counts of the plain part: prefixes, whole references, labels, gone, changed, new.
  for (let at = 0; at < 6; at++) {
    const plain = [...Array<number>(at).fill(0), ...huge, 0, 0, 0, 0, 0, 0];
    const frame = [FULL_FRAME, ...fingerprint, plain.length, ...plain];
    expect(() => decodeFull(Uint8Array.from(frame))).toThrow(/a count is too large|not so many records/);
  }
  expect(() => decodeFull(Uint8Array.from([FULL_FRAME, ...fingerprint, ...huge]))).toThrow('a count is too large');
});
