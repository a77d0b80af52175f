import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LAYERS } from '#lib/contract/operation.ts';
import { POSITION_ORIGINS } from '../fix.ts';
import { feedOf, fixOf, keyOf } from '../fusion/fusion.fixture.ts';
import { type FixBatch, readBatch, writeBatch } from './fix-batch.ts';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number));
const orNull = fc.option(finite);
const timeMs = fc.integer({ min: 0, max: 8.64e15 });
const fix = fc
  .record({
    layer: fc.constantFrom(...LAYERS),
    trackKey: fc.nat().map(keyOf),
    lon: fc.integer({ min: -180, max: 180 }),
    lat: fc.integer({ min: -90, max: 90 }),
    altitudeM: orNull,
    heightAglM: orNull,
    speedMps: orNull,
    headingDeg: orNull,
    onGround: fc.boolean(),
    origin: fc.constantFrom(...POSITION_ORIGINS),
    accuracyM: orNull,
    emergencyState: fc.option(fc.string()),
    testBroadcast: fc.boolean(),
    feedTimeMs: fc.option(timeMs, { nil: undefined }),
    trackTimeMs: fc.option(timeMs, { nil: undefined }),
  })
  .map(fixOf);
const station = fc.record({
  feed: fc.record({ id: fc.string(), aggregates: fc.boolean(), simulated: fc.boolean() }),
  message: fc.record({
    clock: fc.record({
      basis: fc.constantFrom('feed' as const, 'corrected' as const, 'arrival' as const),
      errorMs: fc.option(finite, { nil: undefined }),
      spreadMs: finite,
      isDoubtful: fc.boolean(),
    }),
    fixes: fc.array(fc.record({ fix, observedMs: timeMs, slackMs: fc.nat() }), { maxLength: 5 }),
  }),
});

test('what is written is read, and nothing else of a feed than its traits', async () => {
  const batches = fc.record({ service: fc.string(), stations: fc.array(station, { maxLength: 4 }) });
  await fc.assert(
    fc.asyncProperty(batches, async (batch) => {
      expect(readBatch(await writeBatch(batch))).toEqual(batch);
    }),
  );
  const settings = { ...feedOf('roof'), url: 'http://secret.local', passwordFile: '/etc/secret' };
  const clock = { basis: 'feed', errorMs: 0, spreadMs: 0, isDoubtful: false } as const;
  const batch: FixBatch = { service: 'here', stations: [{ feed: settings, message: { clock, fixes: [] } }] };
  expect(zstdDecompressSync(await writeBatch(batch)).toString()).not.toContain('secret');
});

test('whatever the bytes, nothing is thrown, and what is no batch is none', () => {
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map((json) => new Uint8Array(zstdCompressSync(json))),
  );
  fc.assert(
    fc.property(anything, (bytes) => {
      expect(readBatch(bytes)).toBeUndefined();
    }),
  );
});
