import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { compactHeadSchema, parseSince } from '#lib/api/compact-answer.ts';
import { splitHead, writeHead } from '#lib/codec/json-head.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { addMs, epochMs, localInstant } from '#lib/time/instant.ts';
import { observation } from '#service/conformance/listed-source.ts';
import type { Source } from '#service/sources/observation.ts';
import { type LiveHarness, startLiveHarness } from '#testing/live-harness.ts';
import { CompactReader } from './compact-reader.ts';
import { LiveFeed } from './live-feed.ts';

const view = { west: 8, south: 47, east: 9, north: 48 };
const viewer = { operator: 'local', session: undefined, page: 'p' };

const traffic: Source = {
  live: (layer, _bbox, now) =>
    layer === 'rid'
      ? []
      : Array.from({ length: 60 }, (_, index) => {
          const moves = index % 3 > 0;
          return observation({
            sourceId: `a${index}`,
            layer,
            observedAt: addMs(now, moves ? -index * 10 : -(epochMs(now) % 30_000) - 1),
            lon: 8 + (index % 10) / 8 + (moves ? (epochMs(now) % 60_000) / 1e6 : 0),
            lat: 47.1 + index / 60,
            altitudeM: index % 4 === 0 ? null : index * 7.62,
            speedMps: moves ? 231.5 : 0,
            headingDeg: moves ? 90 : null,
          });
        }),
  history: () => ({ observations: [], more: false }),
};

let live: LiveHarness;
afterEach(() => live.close());

function page() {
  const reader = new CompactReader();
  const feed = new LiveFeed({ monotonicMs: () => 0, wallNow: () => localInstant(0) });
  let id = 0;
  let acknowledged: number | undefined;
  return {
    feed,
    async poll(requested = view) {
      const since = reader.since();
      const cached =
        since === undefined
          ? new Map()
          : new Map(
              since
                .split(',')
                .map((item) => item.split(':'))
                .map(([area, sequence]) => [area as string, Number(sequence)]),
            );
      const answer = await live.reader.readCompact(viewer, requested, ['adsb'], cached);
      id++;
      const frame = await reader.read(new Uint8Array(answer).buffer, {
        id,
        query: formatBbox(requested),
        acknowledged,
        delayMs: () => 0,
      });
      if (feed.apply(frame)) acknowledged = id;
      feed.age();
      return {
        bytes: answer.byteLength,
        received: frame.layers.adsb?.records.reduce((sum, { count }) => sum + count, 0),
      };
    },
  };
}

async function refreshed(): Promise<void> {
  live.moveClock(5000);
  await live.scheduler.tick();
  await live.scheduler.idle();
}

test('the page has the same records by frames and deltas as in the JSON form, to the stated precision', async () => {
  live = await startLiveHarness({ source: traffic });
  const { feed, poll } = page();
  for (let round = 0; round < 6; round++) {
    await poll();
    const { layers } = await live.reader.read(viewer, view, ['adsb']);
    const records = layers.adsb?.records ?? [];
    expect(records.length).toBeGreaterThan(40);
    for (const record of records) {
      const slot = feed.store.slotOf(record.public_track_id);
      const position = slot === undefined ? undefined : feed.store.positionAt(slot);
      expect(position?.observedAt).toBe(Date.parse(record.observed_at));
      expect(Math.abs((position?.lon ?? 0) - record.longitude)).toBeLessThanOrEqual(5.1e-7);
      expect(Math.abs((position?.lat ?? 0) - record.latitude)).toBeLessThanOrEqual(5.1e-7);
      expect(position?.altitudeM === undefined).toBe(record.altitude_m === null);
      expect(Math.abs((position?.altitudeM ?? 0) - (record.altitude_m ?? 0))).toBeLessThanOrEqual(0.051);
      expect(position?.headingDeg ?? null).toBe(record.heading_deg);
      expect(position?.confidence ?? null).toBe(record.confidence);
    }
    expect(feed.store.size).toBe(records.length);
    await refreshed();
  }
});

test('after the first answer the page receives only changes, and unchanged positions keep their identity', async () => {
  live = await startLiveHarness({ source: traffic });
  const { feed, poll } = page();
  const first = await poll();
  const stationary =
    live.service && [...Array(feed.store.columns.end).keys()].filter((slot) => feed.store.columns.speedMps[slot] === 0);
  const before = stationary.map((slot) => feed.store.positionAt(slot));
  expect(stationary.length).toBeGreaterThan(10);
  await refreshed();
  const second = await poll();
  expect(second.received).toBeLessThan(first.received as number);
  expect(second.bytes).toBeLessThan(first.bytes);
  expect(stationary.map((slot) => feed.store.positionAt(slot))).toEqual(before);
  for (const [index, slot] of stationary.entries()) expect(feed.store.positionAt(slot)).toBe(before[index]);
  const third = await poll();
  expect(third.received).toBe(0);
});

test('a page that pans receives everything in its new view', async () => {
  live = await startLiveHarness({ source: traffic });
  const { feed, poll } = page();
  await poll();
  const narrow = { ...view, east: 8.4 };
  await poll(narrow);
  const inNarrow = feed.store.size;
  expect(inNarrow).toBeLessThan(40);
  await poll();
  const { layers } = await live.reader.read(viewer, view, ['adsb']);
  expect(feed.store.size).toBe(layers.adsb?.records.length);
});

test('a page that did not acknowledge a frame receives everything again', async () => {
  live = await startLiveHarness({ source: traffic });
  const reader = new CompactReader();
  const read = async (id: number, acknowledged: number | undefined) => {
    const answer = await live.reader.readCompact(viewer, view, ['adsb'], new Map());
    const frame = await reader.read(new Uint8Array(answer).buffer, { id, query: 'q', acknowledged, delayMs: () => 0 });
    return frame.layers.adsb?.records[0]?.count;
  };
  const all = await read(1, undefined);
  expect(all).toBeGreaterThan(40);
  expect(await read(2, undefined)).toBe(all);
});

test('a damaged answer is rejected, and the cached areas are dropped', async () => {
  live = await startLiveHarness({ source: traffic });
  const reader = new CompactReader();
  const answer = await live.reader.readCompact(viewer, view, ['adsb'], new Map());
  const cut = new Uint8Array(answer.subarray(0, answer.byteLength - 7)).buffer;
  const how = { id: 1, query: 'q', acknowledged: undefined, delayMs: () => 0 };
  await expect(reader.read(cut, how)).rejects.toThrow();
  expect(reader.since()).toBeUndefined();
  await reader.read(new Uint8Array(answer).buffer, how);
  expect(reader.since()).toMatch(/^[0-9a-f]{8}-1:1$/);
});

test('an answer in another version of the format is rejected, and a full frame is requested', async () => {
  live = await startLiveHarness({ source: traffic });
  const reader = new CompactReader();
  const how = { id: 1, query: 'q', acknowledged: undefined, delayMs: () => 0 };
  await reader.read(new Uint8Array(await live.reader.readCompact(viewer, view, ['adsb'], new Map())).buffer, how);
  const known = parseSince(reader.since() ?? '') ?? new Map();
  await refreshed();
  const delta = await live.reader.readCompact(viewer, view, ['adsb'], known);
  await expect(reader.read(ofAnotherVersion(delta), { ...how, id: 2, acknowledged: 1 })).rejects.toThrow(
    'another version',
  );
  expect(reader.since()).toBeUndefined();
  const whole = await live.reader.readCompact(viewer, view, ['adsb'], new Map());
  const frame = await reader.read(new Uint8Array(whole).buffer, { ...how, id: 3 });
  expect(frame.layers.adsb?.records[0]?.count).toBeGreaterThan(40);
});

function ofAnotherVersion(answer: Uint8Array): ArrayBuffer {
  const { head: read, end } = splitHead(answer);
  const head = compactHeadSchema.parse(read);
  const parts = head.layers.adsb?.parts ?? [];
  expect(parts.flatMap(({ bodies }) => bodies)).toEqual([answer.byteLength - end]);
  const frame = inflateRawSync(answer.subarray(end));
  frame.writeUInt16BE(frame.readUInt16BE(0) ^ 1);
  const body = deflateRawSync(frame);
  const layers = { adsb: { ...head.layers.adsb, parts: [{ ...parts[0], bodies: [body.byteLength] }] } };
  return new Uint8Array(Buffer.concat([writeHead({ ...head, layers }), body])).buffer;
}

test('a home area is read with every view, each place once, whether the two overlap or not', async () => {
  live = await startLiveHarness({ source: traffic });
  const reader = new CompactReader();
  const read = async (bbox: Bbox, id: number) => {
    await live.reader.readCompact(viewer, bbox, ['adsb'], new Map(), { home: view });
    await live.scheduler.tick();
    await live.scheduler.idle();
    const answer = await live.reader.readCompact(viewer, bbox, ['adsb'], new Map(), { home: view });
    const how = { id, query: String(id), acknowledged: undefined, delayMs: () => 0 };
    const frame = await reader.read(new Uint8Array(answer).buffer, how);
    const refs = frame.layers.adsb?.records.flatMap((records) => records.refs) ?? [];
    expect(new Set(refs).size).toBe(refs.length);
    return refs.length;
  };
  const atHome = await read(view, 1);
  expect(atHome).toBeGreaterThan(40);
  expect(await read({ west: 100, south: 10, east: 101, north: 11 }, 2)).toBe(atHome);
  expect(await read({ ...view, east: (view.west + view.east) / 2 }, 3)).toBe(atHome);
  expect(await read({ ...view, west: view.west - 1, north: view.north + 1 }, 4)).toBeGreaterThanOrEqual(atHome);
});
