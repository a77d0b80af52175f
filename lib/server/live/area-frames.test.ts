import { inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeFrame } from '#lib/codec/frame.ts';
import { type Records, recordsOf } from '#lib/codec/records.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { AreaFrames } from './area-snapshots.ts';
import { type AreaRecords, type AreaSnapshot, areaOf } from './snapshots.ts';

const START = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const area = areaOf('adsb', { west: 8, south: 47, east: 9, north: 48 });

function position(index: number, step: number): Position {
  return {
    ...plainPosition,
    ref: `RX-A-${index.toString(16).toUpperCase().padStart(16, '0')}`,
    observedAt: addMs(START, step * 5000),
    lon: 8.5 + step / 1000 + index / 100,
    lat: 47.5,
    speedMps: 100,
    headingDeg: 90,
    confidence: 'single',
    receiverCount: 1,
  };
}

function snapshot(sequence: number, name = 'area'): AreaRecords & Pick<AreaSnapshot, 'name' | 'sequence'> {
  const positions = Array.from({ length: 20 }, (_, index) => position(index, sequence));
  return {
    area,
    positions: new Map(positions.map((each) => [each.ref, each])),
    fetchedAt: addMs(START, sequence * 5000),
    readAt: addMs(START, sequence * 5000),
    incomplete: undefined,
    unreadable: 0,
    name,
    sequence,
  };
}

const opened = (body: Uint8Array | undefined) => new Uint8Array(inflateRawSync(body ?? new Uint8Array()));

test('a new viewer gets a full frame, a current one nothing, one behind the deltas it lacks', async () => {
  const frames = new AreaFrames();
  const first = await frames.bodies(snapshot(1), undefined);
  expect([first.deltas, first.bodies.length]).toEqual([false, 1]);
  let records: Records = decodeFrame(opened(first.bodies[0])).records;
  expect((await frames.bodies(snapshot(1), 1)).bodies).toEqual([]);
  await frames.bodies(snapshot(2), 1);
  const behind = await frames.bodies(snapshot(3), 1);
  expect([behind.deltas, behind.bodies.length]).toEqual([true, 2]);
  for (const body of behind.bodies) records = decodeFrame(opened(body), records).records;
  expect(records).toEqual(recordsOf(snapshot(3).positions.values()));
});

test('each frame is encoded once for all viewers', async () => {
  const frames = new AreaFrames();
  await frames.bodies(snapshot(1), undefined);
  const [one, other] = await Promise.all([frames.bodies(snapshot(2), 1), frames.bodies(snapshot(2), 1)]);
  expect(one.bodies[0]).toBe(other.bodies[0]);
  const full = await frames.bodies(snapshot(2), undefined);
  expect((await frames.bodies(snapshot(2), undefined)).bodies[0]).toBe(full.bodies[0]);
});

test('a viewer too far behind, or with a sequence that this process never sent, gets a full frame', async () => {
  const frames = new AreaFrames();
  for (let sequence = 1; sequence <= 8; sequence++) await frames.bodies(snapshot(sequence), undefined);
  expect((await frames.bodies(snapshot(8), 4)).deltas).toBe(true);
  expect((await frames.bodies(snapshot(8), 3)).deltas).toBe(false);
  expect((await frames.bodies(snapshot(8), 99)).deltas).toBe(false);
});

test('a viewer of another name of the area gets a full frame', async () => {
  const frames = new AreaFrames();
  await frames.bodies(snapshot(1), undefined);
  expect((await frames.bodies(snapshot(2, 'renamed'), undefined)).deltas).toBe(false);
  expect(await frames.full(snapshot(2, 'renamed'))).toBe((await frames.bodies(snapshot(2, 'renamed'), 1)).bodies[0]);
});

test('a frame that is kept for viewers takes no more memory than its bytes', async () => {
  const frames = new AreaFrames();
  const [full] = (await frames.bodies(snapshot(1), undefined)).bodies;
  const [delta] = (await frames.bodies(snapshot(2), 1)).bodies;
  for (const body of [full, delta]) expect(body?.buffer.byteLength).toBe(body?.byteLength);
});
