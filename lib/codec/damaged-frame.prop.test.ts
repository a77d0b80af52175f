import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DamagedBytes, uint32Bytes } from '#lib/columns/bytes.ts';
import { cpuMs } from '#testing/cpu-ms.ts';
import { anyPositions, anyTwoSnapshots } from './arbitrary-position.fixture.ts';
import { versioned } from './format-version.ts';
import { decodeFrame, encodeFrame } from './frame.ts';
import { type Records, recordsOf } from './records.ts';

const MAX_DECODE_MS = 1000;

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

const snapshot = (positions: Parameters<typeof recordsOf>[0]) =>
  recordsOf(new Map(Array.from(positions, (position) => [position.ref, position])).values());

function expectRefusedOrEqual(decode: () => Records, expected: Records) {
  let decoded: Records | undefined;
  const tookMs = cpuMs(() => {
    try {
      decoded = decode();
    } catch (error) {
      if (!String(error).includes('another version')) expect(error).toBeInstanceOf(DamagedBytes);
    }
  });
  expect(tookMs).toBeLessThan(MAX_DECODE_MS);
  if (decoded) expect(decoded).toEqual(expected);
}

describe('a frame that is truncated, altered or extended', () => {
  test('is rejected as a full frame', () => {
    fc.assert(
      fc.property(anyPositions, damage, (positions, how) => {
        const records = recordsOf(positions);
        expectRefusedOrEqual(() => decodeFrame(damaged(encodeFrame(records), how)).records, records);
      }),
      { numRuns: 500 },
    );
  });

  test('is rejected as a delta', () => {
    fc.assert(
      fc.property(anyTwoSnapshots, damage, ({ before, after }, how) => {
        const [earlier, later] = [snapshot(before), snapshot(after)];
        expectRefusedOrEqual(() => decodeFrame(damaged(encodeFrame(later, earlier), how), earlier).records, later);
      }),
      { numRuns: 500 },
    );
  });
});

test('any bytes after a valid version are rejected', () => {
  fc.assert(
    fc.property(anyPositions, fc.uint8Array({ maxLength: 400, size: 'max' }), (positions, bytes) => {
      expect(() => decodeFrame(versioned(bytes), snapshot(positions))).toThrow(Error);
    }),
    { numRuns: 500 },
  );
});

test('a frame of another version is rejected', () => {
  expect(() => decodeFrame(new Uint8Array(0))).toThrow('truncated');
  fc.assert(
    fc.property(anyPositions, fc.integer({ min: 1, max: 0xffff }), (positions, otherVersion) => {
      const frame = encodeFrame(recordsOf(positions));
      const view = new DataView(frame.buffer);
      view.setUint16(0, view.getUint16(0) ^ otherVersion);
      expect(() => decodeFrame(frame)).toThrow('another version');
    }),
  );
});

test('a count that is too large is rejected before it takes memory', () => {
  expect(() => decodeFrame(versioned(uint32Bytes(0, 2 ** 31, 0), new Uint8Array(40)))).toThrow('2147483648 references');
});
