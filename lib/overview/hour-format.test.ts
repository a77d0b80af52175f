import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DamagedBytes } from '#lib/columns/bytes.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { readHour } from './hour-body.ts';
import { LayerTally } from './layer-tally.ts';

const START_MS = Date.UTC(2026, 10, 21, 12, 1);
const BOX = { west: 7, south: 47, east: 8, north: 48 };

function hourOf(steps: number) {
  const tally = new LayerTally('adsb');
  for (let step = 0; step < steps; step++) {
    const readMs = START_MS + step * 5000;
    const positions = new Map<string, Position>();
    for (let track = 0; track < 3 && step < 12; track++) {
      positions.set(`RX-A-${track}`, {
        ...plainPosition,
        ref: `RX-A-${track}`,
        lon: 7 + ((step * (track + 1)) % 100) / 120,
        lat: 47.9 - ((step * 7 + track * 31) % 90) / 100,
        altitudeM: track === 2 ? undefined : step * 40,
        confidence: track === 1 && step % 9 === 0 ? 'inconsistent' : 'single',
        observedAt: upstreamInstant(readMs - track * 700),
      });
    }
    // A place far away from the others, which is counted more than 256 times.
    positions.set('far', { ...plainPosition, ref: 'far', lon: -179.9, lat: -60, observedAt: upstreamInstant(readMs) });
    tally.read({ key: 'a', bbox: BOX, positions, readMs, isComplete: true });
  }
  return tally.take(START_MS + steps * 5000);
}

test('the bytes of an hour never change, since a database keeps them for a month', () => {
  const [hour, ...others] = hourOf(300);
  expect(others).toEqual([]);
  const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');
  expect(hex(hour?.body)).toMatchInlineSnapshot(
    `"01030000000180ec0580a40480028002d70b0003c007e62efd1a192525040c7dc05df844000f0f0f7d0205000f0f0f7d0205000f0f0f0c7dc05de444307d00032f410f7d0205000f410f7d0205007d0036307d02032f0f0c7dc05dd0440a0f41417d023400410f417d02050041410f017d06800f0a000000000000000000000000000000000000000000000000000000000000000000000000002b012401"`,
  );
  expect(hex(hour?.references)).toMatchInlineSnapshot(
    `"93a7e0bbd1e48e08f0840edee9eabad290820df8f90df28ab1b29d96fe0380ef0decf9b0d3bba48d0af0e8bd01"`,
  );
});

test('damaged bytes of an hour are read as something, or refused by name', () => {
  const body = hourOf(40)[0]?.body ?? new Uint8Array();
  const expectReadOrRefused = (bytes: Uint8Array) => {
    try {
      readHour(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(DamagedBytes);
    }
  };
  fc.assert(
    fc.property(fc.nat(body.length - 1), fc.nat(255), (at, byte) => {
      expectReadOrRefused(body.with(at, byte));
      expect(() => readHour(body.slice(0, at))).toThrow(DamagedBytes);
    }),
    { numRuns: 400 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => expectReadOrRefused(Uint8Array.of(1, ...bytes))),
    { numRuns: 400 },
  );
});
