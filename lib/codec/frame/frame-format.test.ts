import { describe, expect, test } from 'vitest';
import type { Position } from '#lib/model/position.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { plainPosition } from '../../model/plain-position.fixture.ts';
import { quantise } from '../quantise.ts';
import { encodeDelta, encodeFull } from './encode-frame.ts';

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
const before = quantise(thousand);

describe('a delta is small', () => {
  test('if nothing changed', () => {
    expect(encodeDelta(before, before).length).toBeLessThan(50);
  });

  test('if one record of a thousand changed', () => {
    const after = quantise([
      ...thousand.slice(0, 999),
      aircraft(999, { observedAt: addMs(observedAt, 4000), lon: 9.02 }),
    ]);
    expect(encodeDelta(before, after).length).toBeLessThan(70);
  });

  test('if all continued with the same speed and heading: less than a byte each', () => {
    const eastDeg = 2000 / 111_195.08 / Math.cos((47 * Math.PI) / 180);
    const after = thousand.map((position) => ({
      ...position,
      observedAt: addMs(position.observedAt, 10_000),
      lon: position.lon + eastDeg,
      staleAfter: addMs(observedAt, 70_000),
    }));
    expect(encodeDelta(before, quantise(after)).length).toBeLessThan(1000);
  });
});

test('the bytes of a version never change, since pages from before a server update keep polling', () => {
  const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const [few, later] = [
    quantise([aircraft(1), aircraft(2, { altitudeM: 1e300 }), aircraft(3, { ref: 'another form' })]),
    quantise([aircraft(1, { lon: 8.02, headingDeg: undefined }), aircraft(4, { kind: 'drone', confidence: 'stale' })]),
  ];
  expect(hex(encodeFull(few))).toMatchInlineSnapshot(
    `"097ad55a3ed476010552582d412d010c616e6f7468657220666f726d020673696e676c6507756e6b6e6f776e00000301674523016745230100000000ffe7ad2000c20600000002000400c0a907a0e7d00780a7e92cdc2300c0b802880e80c56604000000e8070000029c7500883ce4377ef40b010000000000000000015009374771a040c153"`,
  );
  expect(hex(encodeDelta(few, later))).toMatchInlineSnapshot(
    `"497a5e15c3622a000001057374616c65020101009c158d040000040100000000e807000000ee1101000000010000000001800b86048349125136145b"`,
  );
});
