import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { UNREPORTED } from '#lib/columns/unreported.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { plainPosition } from '../model/plain-position.fixture.ts';
import { encodeFrame } from './frame.ts';
import { recordsOf } from './records.ts';
import { encodeTrails } from './trails.ts';

const observedAt = upstreamInstant(Date.UTC(2026, 10, 21, 12));

function aircraft(number: number, change: Partial<Position> = {}): Position {
  return {
    ...plainPosition,
    ref: `RX-A-${(number * 0x1234567).toString(16).toUpperCase().padStart(16, '0')}`,
    observedAt,
    lon: 8 + number / 1000,
    lat: 47,
    altitudeM: 7.62 * number,
    speedMps: 200,
    headingDeg: 90,
    confidence: 'single',
    confidenceScore: 0.84,
    receiverCount: number % 4,
    emergencyState: 'unknown',
    staleAfter: addMs(observedAt, 60_000),
    ...change,
  };
}

const thousand = Array.from({ length: 1000 }, (_, number) => aircraft(number));
const before = recordsOf(thousand);

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const deflatedBytes = (frame: Uint8Array) => deflateRawSync(frame).byteLength;

describe('a delta is small', () => {
  test('if nothing changed', () => {
    expect(deflatedBytes(encodeFrame(before, before))).toBeLessThan(100);
  });

  test('if one record of a thousand changed', () => {
    const after = recordsOf([
      ...thousand.slice(0, 999),
      aircraft(999, { observedAt: addMs(observedAt, 4000), lon: 9.02 }),
    ]);
    expect(deflatedBytes(encodeFrame(after, before))).toBeLessThan(150);
  });
});

test('the bytes of a version never change, since pages from before a server update keep polling', () => {
  const [few, later] = [
    recordsOf([aircraft(1), aircraft(2, { altitudeM: 1e300 }), aircraft(3, { ref: 'another form' })]),
    recordsOf([aircraft(1, { lon: 8.02, headingDeg: undefined }), aircraft(4, { kind: 'drone', confidence: 'stale' })]),
  ];
  expect(hex(encodeFrame(few))).toMatchInlineSnapshot(
    `"4158370c8cbc030000004e0000007b227072656669786573223a5b2252582d412d225d2c2277686f6c6573223a5b22616e6f7468657220666f726d225d2c226c6162656c73223a5b2273696e676c65222c22756e6b6e6f776e225d7d01000001000467ce00458a002346000102000101010101022a5101020000000104002e93020102000000010260ea01020000000102e803028202023e0000000104c029cd02010200000001010304fcaeb501a8a400aaaa002a2a00000102204e0102000000010284030102000000010340d10c01020000000101010102020200010101000001010100000101010102000000"`,
  );
  expect(hex(encodeFrame(later, few))).toMatchInlineSnapshot(
    `"4158d6508c4e01000000350000007b227072656669786573223a5b2252582d412d225d2c2277686f6c6573223a5b5d2c226c6162656c73223a5b227374616c65225d7d0102020000049c158d0401010101010000010101000001010100000102e80301261f0001010100000102ee080100020000010101000002020101000001010100000101010100010001010401000200010102010002000101010000"`,
  );
});

test('the bytes of trails never change either', () => {
  const trails = {
    refs: ['RX-A-0000000001234567', 'another form'],
    starts: Uint32Array.of(0, 4, 6),
    atMs: Float64Array.of(0, 1000, 2000, 3500, 500, 1500).map((ms) => Date.UTC(2026, 10, 21, 12) + ms),
    lon: Int32Array.of(8_000_000, 8_000_100, 8_000_200, 8_000_350, -180_000_000, 180_000_000),
    lat: Int32Array.of(47_000_000, 46_999_900, 46_999_800, 46_999_650, 0, -90_000_000),
    height: Int32Array.of(30_480, UNREPORTED, 31_242, 32_004, 0, UNREPORTED),
  };
  expect(hex(encodeTrails(trails))).toMatchInlineSnapshot(
    `"4158000000527b22626173654d73223a313739353236323430303030302c22747261636b73223a322c227072656669786573223a5b2252582d412d225d2c2277686f6c6573223a5b22616e6f7468657220666f726d225d7d010001000467004500230001000104020102f401010002010404060405016403007f715f02390302000000000000dd0000006d05016403e0df57570e0e030100003f000000770000001b021d02fa0201504f0100020200"`,
  );
});
