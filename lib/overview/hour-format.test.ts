import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DamagedBytes } from '#lib/columns/bytes.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { cellBoxOf } from './cells.ts';
import { measuredOf, readHour } from './hour-body.ts';
import { LayerTally } from './layer-tally.ts';
import { CoverageSum } from './sums.ts';

const START_MS = Date.UTC(2026, 10, 21, 12, 1);
const BOX = { west: 7, south: 47, east: 8, north: 48 };

function hourOf(steps: number) {
  const tally = new LayerTally('adsb');
  for (let step = 0; step < steps; step++) {
    const readMs = START_MS + step * 5000;
    const positions = new Map<string, Position>();
    for (let track = 0; track < 3 && step < 24; track++) {
      // The third is missed for up to a minute.
      if (track === 2 && step > 8 && step < 20) continue;
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
    `"02030000000180ec0580a40480028002d70b0003c007f02efd1a193e3e04187dc05df844000f0f0f7d0205000f0f0f7d0205000f0f0f7d0205007d0036000f417d0005000f0f417d0005000f0f41187dc05de444307d00032f410f7d0205000f410f7d0205007d0036307d02032f0f7d0205000f41417d000500417d0003307d02032f7d000500417d0036007d0205000d7dc05dd0440a0f41417d023400410f417d0205007d1404000f4141017d06800f0a00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002b013d0106150408080400000200000200000402040021000000000000000000000000000000000001a5bbb9850605"`,
  );
  expect(hex(hour?.references)).toMatchInlineSnapshot(
    `"93a7e0bbd1e48e08b0ae15dee9eabad290820db8a315f28ab1b29d96fe03c09815ecf9b0d3bba48d0af0e8bd01"`,
  );
});

test('an hour of an earlier build is read, and its reception is not measured, which is not 0', () => {
  const body = Buffer.from(
    '01030000000180ec0580a40480028002d70b0003c007e62efd1a192525040c7dc05df844000f0f0f7d0205000f0f0f7d0205000f0f0f0c7dc05de444307d00032f410f7d0205000f410f7d0205007d0036307d02032f0f0c7dc05dd0440a0f41417d023400410f417d02050041410f017d06800f0a000000000000000000000000000000000000000000000000000000000000000000000000002b012401',
    'hex',
  );
  const hour = readHour(body);
  expect(hour.counts.reduce((sum, count) => sum + count)).toBe(336);
  expect(measuredOf(hour)).toBe(undefined);
  const sum = new CoverageSum(cellBoxOf(BOX, 6), undefined, true);
  sum.add(hour);
  expect(sum.measured).toBe(undefined);
});

test('damaged bytes of an hour are read as something, or refused by name', () => {
  const body = hourOf(40)[0]?.body ?? new Uint8Array();
  const expectReadOrRefused = (bytes: Uint8Array) => {
    try {
      measuredOf(readHour(bytes));
    } catch (error) {
      expect(error).toBeInstanceOf(DamagedBytes);
    }
  };
  fc.assert(
    fc.property(fc.nat(body.length - 1), fc.nat(255), (at, byte) => {
      expectReadOrRefused(body.with(at, byte));
      expect(() => measuredOf(readHour(body.slice(0, at)))).toThrow(DamagedBytes);
    }),
    { numRuns: 400 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.constantFrom(1, 2), (bytes, version) =>
      expectReadOrRefused(Uint8Array.of(version, ...bytes)),
    ),
    { numRuns: 400 },
  );
});
