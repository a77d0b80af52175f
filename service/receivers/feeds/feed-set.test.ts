import { once } from 'node:events';
import { mkdir, mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { namedKeyOf } from '../parsers/named-keys.fixture.ts';
import { sbsLine } from '../parsers/sbs-line.fixture.ts';
import { type FeedSet, makeFeedSet } from './feed-set.ts';
import { type FeedsFile, followFeedsFile, loadFeedsFile } from './open-feeds.ts';
import { fastSurroundings } from './recorded-inlet.fixture.ts';

async function startReceiver() {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.write(`${sbsLine({ lat: '47.1', lon: '8.2' })}\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  return {
    url: `sbs://127.0.0.1:${port}`,
    sockets,
    connections: () => connections,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;
let receivers: readonly Receiver[] = [];
let folder: string;
let path: string;
let set: FeedSet;
let delivered: string[];
let refused: (readonly string[])[];
let file: FeedsFile | undefined;
let stillAt: UpstreamInstant | undefined;

beforeEach(async () => {
  receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
  folder = await mkdtemp(join(tmpdir(), 'feed-set-test-'));
  path = join(folder, 'feeds.json');
  delivered = [];
  refused = [];
  stillAt = undefined;
  set = makeFeedSet({
    keyOf: namedKeyOf,
    deliver: (feed, { fixes }) => delivered.push(...fixes.map(({ trackKey }) => `${feed.id}: ${trackKey}`)),
    surroundings: { ...fastSurroundings, now: () => stillAt ?? fastSurroundings.now() },
  });
});
afterEach(async () => {
  await file?.stop();
  await set.stop();
  for (const receiver of receivers) receiver.close();
  await rm(folder, { recursive: true });
});

const feedsOf = (...names: readonly string[]) =>
  JSON.stringify({ feeds: names.map((id) => ({ id, url: receivers[Number(id.at(-1))]?.url })) });

async function follow(): Promise<FeedsFile> {
  const { read, version } = await loadFeedsFile(path);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  set.run(read.feeds);
  return followFeedsFile({
    path,
    version,
    changed: (feeds) => set.run(feeds),
    refused: (problems) => refused.push(problems),
    surroundings: fastSurroundings,
  });
}

test('starts new feeds and stops removed ones when the file changes, and leaves the others alone', async () => {
  await writeFile(path, feedsOf('feed-0', 'feed-1'));
  file = await follow();
  await eventually(() =>
    expect(delivered.toSorted()).toEqual(['feed-0: adsb icao:3c66b0', 'feed-1: adsb icao:3c66b0']),
  );
  expect(set.statuses().map(({ settings, health }) => [settings.id, health.state, health.positions])).toEqual([
    ['feed-0', 'connected', 1],
    ['feed-1', 'connected', 1],
  ]);

  await writeFile(path, feedsOf('feed-2', 'feed-0'));
  await eventually(() => expect(delivered).toContain('feed-2: adsb icao:3c66b0'));
  await eventually(() => expect(receivers[1]?.sockets.size).toBe(0));
  expect(set.statuses().map(({ settings }) => settings.id)).toEqual(['feed-2', 'feed-0']);
  expect(receivers.map(({ connections }) => connections())).toEqual([1, 1, 1]);
  expect(delivered).toHaveLength(3);
});

test('reports an invalid or missing file, and keeps its feeds running', async () => {
  await writeFile(path, feedsOf('feed-0'));
  file = await follow();
  expect(file.problems()).toEqual([]);
  await writeFile(path, '{"feeds":[{"id":"feed-0","url":"radar://roof"}]}');
  await eventually(() => expect(refused).toHaveLength(1));
  expect(file.problems()).toEqual([expect.stringContaining('feeds[0].url: write one of')]);
  await unlink(path);
  await eventually(() => expect(file?.problems()).toEqual(['no such file']));
  expect(receivers[0]?.sockets.size).toBe(1);

  await writeFile(path, feedsOf('feed-0', 'feed-1'));
  await eventually(() => expect(delivered).toContain('feed-1: adsb icao:3c66b0'));
  expect(file.problems()).toEqual([]);
  expect(receivers[0]?.connections()).toBe(1);
});

test('keeps other feeds unharmed by one that floods, sends nonsense or is gone', async () => {
  await writeFile(path, feedsOf('feed-0', 'feed-1', 'feed-2'));
  file = await follow();
  await eventually(() => expect(delivered).toHaveLength(3));
  const [flooding, babbling] = receivers.map(({ sockets }) => [...sockets][0]);
  receivers[2]?.close();
  babbling?.write('nonsense\n'.repeat(100));
  stillAt = fastSurroundings.now();
  flooding?.write(Buffer.alloc(16 * 1024 * 1024, 'x'));
  await eventually(() => {
    const [flood, babble, gone] = set.statuses().map(({ health }) => health);
    expect(flood?.refused.flood).toBeGreaterThan(0);
    expect(babble?.refused).toEqual({ unreadable: 100 });
    expect(gone?.problem).toBe('nothing listens there');
  });
  babbling?.write(`${sbsLine({ hex: '3C66B1', lat: '47.1', lon: '8.2' })}\n`);
  await eventually(() => expect(delivered).toContain('feed-1: adsb icao:3c66b1'));
});

test('resolves paths from the file’s folder', async () => {
  const feed = { id: 'club', url: 'https://club.example/tar1090', username: 'me', password_file: 'secrets/club' };
  await mkdir(join(folder, 'secrets'));
  await writeFile(join(folder, 'secrets/club'), 'secret');
  await writeFile(path, JSON.stringify({ feeds: [feed] }));
  const { read } = await loadFeedsFile(path);
  expect(read).toMatchObject({ ok: true, feeds: [{ passwordFile: join(folder, 'secrets/club') }] });
});

test('leaves nothing open once stopped', async () => {
  await writeFile(path, feedsOf('feed-0', 'feed-1'));
  file = await follow();
  await eventually(() => expect(delivered).toHaveLength(2));
  await set.stop();
  expect(set.statuses()).toEqual([]);
  await eventually(() => expect(receivers.map(({ sockets }) => sockets.size)).toEqual([0, 0, 0]));
});
