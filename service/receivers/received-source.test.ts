import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addMs, epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { EmbeddedPast } from '../past/files/embedded-past.ts';
import { MemoryPast } from '../past/memory-past.ts';
import { periodName, periodStart } from '../past/period.ts';
import { makeTestSurroundings, START } from './feeds/test-surroundings.fixture.ts';
import { feedOf, fixOf, parsedOf } from './fusion/fusion.fixture.ts';
import { makeReceivedSource } from './received-source.ts';

const WORLD = { west: -180, south: -90, east: 180, north: 90 };
const [A, B] = [feedOf('a'), feedOf('b')];

function receiving() {
  const time = makeTestSurroundings();
  const past = new MemoryPast();
  const source = makeReceivedSource({ past, surroundings: time.surroundings });
  const receive = (feed: typeof A, at: UpstreamInstant, lon: number) =>
    source.deliver(feed, parsedOf([fixOf({ feedTimeMs: epochMs(at), lon, lat: 47 })]), time.surroundings.now());
  const recorded = async () =>
    (await source.history('adsb', WORLD, { start: addMs(START, -60_000), end: addMs(START, 60_000) }, 100))
      .observations;
  return { ...time, source, receive, recorded };
}

test('records exactly what is live, with as many digits as are stored', async () => {
  const { move, surroundings, source, receive, recorded } = receiving();
  receive(A, START, 8.123_456_789);
  move(100);
  const live = source.live('adsb', WORLD, surroundings.now());
  expect(live).toMatchObject([{ lon: 8.123_457, observedAt: START }]);
  expect(await recorded()).toEqual(live);
});

test('serves a lone station at once, and announces its layer', () => {
  const { move, surroundings, source, receive } = receiving();
  const changed: string[] = [];
  source.onChange?.((layer) => changed.push(layer));
  move(1000);
  receive(A, addMs(START, 900), 8.1);
  expect(source.live('adsb', WORLD, surroundings.now())).toMatchObject([{ lon: 8.1 }]);
  expect(changed).toEqual(['adsb']);
  move(1000);
  expect(changed).toEqual(['adsb']);
});

test('records waiting fixes when it stops', async () => {
  const { move, source, receive, recorded, waiting } = receiving();
  receive(A, START, 8);
  receive(B, START, 8);
  move(1000);
  receive(A, addMs(START, 1000), 8.002);
  source.stop();
  expect((await recorded()).map(({ lon }) => lon)).toEqual([8, 8.002]);
  expect(waiting()).toBe(0);
});

test('refuses fixes from before the start, which may be recorded already', async () => {
  const { move, receive, recorded } = receiving();
  receive(A, addMs(START, -1), 8);
  receive(A, START, 8.001);
  move(2000);
  expect((await recorded()).map(({ lon }) => lon)).toEqual([8.001]);
});

test('does not report unwritten rows as written while they could be sent again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lookout-received-'));
  const { move, surroundings, waiting } = makeTestSurroundings();
  const past = await EmbeddedPast.open({ folder, now: surroundings.now, log() {} });
  try {
    const log = join(folder, 'log', `${periodName(periodStart(START))}.log`);
    // Fails as on a full disk.
    await symlink('/dev/full', log);
    const source = makeReceivedSource({ past, surroundings });
    const receive = async (lon: number) => {
      const at = surroundings.now();
      source.deliver(A, parsedOf([fixOf({ feedTimeMs: epochMs(at), lon, lat: 47 })]), at);
      const written = source.written();
      move(3000);
      return written;
    };
    expect(await receive(8)).toBe(false);
    await rm(log);
    expect(await receive(8.01)).toBe(false);
    move(30_000);
    expect(await receive(8.1)).toBe(true);
    const window = { start: START, end: addMs(START, 60_000) };
    expect((await past.history('adsb', WORLD, window, 10)).observations.map(({ lon }) => lon)).toEqual([8.01, 8.1]);
    source.stop();
    expect(waiting()).toBe(0);
  } finally {
    await past.close();
    await rm(folder, { recursive: true });
  }
});
