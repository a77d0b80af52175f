import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '#testing/cpu-ms.ts';
import { anyPositions, anyTwoSnapshots } from '../arbitrary-position.fixture.ts';
import { tagged } from '../format-version.ts';
import { quantise } from '../quantise.ts';
import type { QuantisedRecords } from '../quantised-records.ts';
import { applyDelta, decodeFull } from './decode-frame.ts';
import { encodeDelta, encodeFull } from './encode-frame.ts';

const MAX_DECODE_MS = 1000;

/** Some bytes changed, then truncated, then extended. */
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

/** The frame is rejected with an Error or, if it is not actually damaged, decodes to `expected`; either way quickly. */
function expectRefusedOrEqual(decode: () => QuantisedRecords, expected: QuantisedRecords | undefined) {
  let decoded: QuantisedRecords | undefined;
  const tookMs = cpuMs(() => {
    try {
      decoded = decode();
    } catch (error) {
      // A RangeError or TypeError would come from a missing check.
      expect((error as Error).constructor).toBe(Error);
    }
  });
  expect(tookMs).toBeLessThan(MAX_DECODE_MS);
  if (decoded) expect(decoded).toEqual(expected);
}

describe('a frame that is truncated, altered or extended', () => {
  test('is rejected as a full frame', () => {
    fc.assert(
      fc.property(anyPositions, damage, (positions, how) => {
        const records = quantise(positions);
        expectRefusedOrEqual(() => decodeFull(damaged(encodeFull(records), how)), records);
      }),
      { numRuns: 500 },
    );
  });

  test('is rejected as a delta', () => {
    fc.assert(
      fc.property(anyTwoSnapshots, damage, (snapshots, how) => {
        const [before, after] = [quantise(snapshots.before), quantise(snapshots.after)];
        expectRefusedOrEqual(() => applyDelta(before, damaged(encodeDelta(before, after), how)).records, after);
      }),
      { numRuns: 500 },
    );
  });
});

test('any bytes after a valid tag are rejected', () => {
  fc.assert(
    fc.property(anyPositions, fc.uint8Array({ maxLength: 400, size: 'max' }), (positions, bytes) => {
      const before = quantise(positions);
      expect(() => decodeFull(tagged('full', bytes))).toThrow(Error);
      expect(() => applyDelta(before, tagged('delta', bytes))).toThrow(Error);
    }),
    { numRuns: 500 },
  );
});

test('a frame of another kind or version is rejected by its tag', () => {
  const records = quantise([]);
  expect(() => decodeFull(encodeDelta(records, records))).toThrow('not of the kind full');
  expect(() => applyDelta(records, encodeFull(records))).toThrow('not of the kind delta');
  expect(() => decodeFull(new Uint8Array(0))).toThrow('truncated');
  fc.assert(
    fc.property(anyPositions, fc.integer({ min: 1, max: 0x3fff }), (positions, otherVersion) => {
      const frame = encodeFull(quantise(positions));
      const view = new DataView(frame.buffer);
      view.setUint16(0, view.getUint16(0) ^ otherVersion);
      expect(() => decodeFull(frame)).toThrow('another version');
    }),
  );
});

test('a count that is too large for the length of the frame allocates no memory', () => {
  const huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f];
  const fingerprint = [0, 0, 0, 0];
  const full = (...bytes: number[]) => tagged('full', Uint8Array.from(bytes));
  // Counts of the plain part: prefixes, whole references, labels, gone, changed, new.
  for (let at = 0; at < 6; at++) {
    const plain = [...Array<number>(at).fill(0), ...huge, 0, 0, 0, 0, 0, 0];
    const frame = full(...fingerprint, plain.length, ...plain);
    expect(() => decodeFull(frame)).toThrow(/a count is too large|not so many records/);
  }
  expect(() => decodeFull(full(...fingerprint, ...huge))).toThrow('a count is too large');
});
