import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyPositions } from '#lib/codec/arbitrary-position.fixture.ts';
import { quantise } from '#lib/codec/quantise.ts';
import type { Position } from '#lib/model/position.ts';
import {
  addMs,
  type LocalInstant,
  localInstant,
  msBetween,
  type UpstreamInstant,
  upstreamInstant,
} from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { plainPosition } from '../../model/plain-position.fixture.ts';
import { AreaReads } from '../ports/area-reads.ts';
import type { Lease } from '../ports/lease.ts';
import type { AreaRecords } from '../ports/snapshots.ts';
import { declareSnapshotsSuite } from '../ports/snapshots-suite.fixture.ts';
import { ViewingPage } from '../ports/viewing-page.fixture.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { RedisLeases } from './redis-leases.ts';
import { becomes, connectTo, hasRedis, type RedisServer, startRedis } from './redis-server.fixture.ts';
import { RedisSnapshots } from './redis-snapshots.ts';

const NOW = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const ALPS = { west: 5, south: 44, east: 15, north: 48 };
const AREA = { key: 'adsb:alps', layer: 'adsb', bbox: ALPS } as const;

function records(fetchedAt: UpstreamInstant, positions: readonly Position[] = []): AreaRecords {
  const byRef = new Map(positions.map((each) => [each.ref, each]));
  return { area: AREA, positions: byRef, fetchedAt, readAt: fetchedAt, incomplete: undefined, unreadable: 0 };
}

/** One aircraft on its way, as it is read that many seconds later. */
function traffic(step: number): AreaRecords {
  const at = addMs(NOW, step * 1000);
  return records(at, [
    { ...plainPosition, ref: 'RX-A-0000000000000001', observedAt: at, lon: 8 + step / 100, lat: 47, altitudeM: 1000 },
  ]);
}

const lease = (fence = 1): Lease => ({ name: 'area', fence });
/** Nobody asks the store again within a test. */
const NEVER_MS = HOUR_MS;

class HeardReads extends AreaReads {
  readonly heard: string[] = [];
  #wake: () => void = () => undefined;

  constructor() {
    super();
    this.subscribe((event) => {
      const text =
        event.kind === 'missed'
          ? `missed before ${seconds(event.before)}`
          : `read at ${seconds(event.readAt)}${event.isComplete ? '' : ', incomplete'}`;
      this.heard.push(text);
      this.#wake();
    });
  }

  async until(count: number): Promise<readonly string[]> {
    while (this.heard.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.heard;
  }
}

const seconds = (at: UpstreamInstant) => msBetween(NOW, at) / 1000;

describe.skipIf(!hasRedis())('over Redis', () => {
  let server: RedisServer;
  let connections: RedisConnection[];
  let first: RedisConnection;
  let second: RedisConnection;
  let snapshots: RedisSnapshots;
  let other: RedisSnapshots;
  let reads: HeardReads;
  let warnings: string[];
  let local: LocalInstant;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.remove());

  function newSnapshots(connection: RedisConnection, checkEveryMs = 0, reads = new AreaReads()): RedisSnapshots {
    const log = { warn: (_: object, text: string) => warnings.push(text) } as never;
    return new RedisSnapshots({ connection, reads, now: () => local, log, checkEveryMs });
  }

  beforeEach(async () => {
    await server.admin('FLUSHALL');
    connections = await Promise.all([0, 1].map(() => connectTo(server.target, { timeoutMs: 2000 })));
    [first, second] = connections as [RedisConnection, RedisConnection];
    warnings = [];
    local = localInstant(0);
    reads = new HeardReads();
    snapshots = newSnapshots(first);
    other = newSnapshots(second, 0, reads);
  });
  afterEach(() => {
    for (const connection of connections) connection.close();
  });

  declareSnapshotsSuite('RedisSnapshots', async () => [snapshots, other]);

  /** Nothing is told to it. */
  const deafConnection = async () => {
    const deaf = await connectTo(server.target);
    deaf.subscribe = () => undefined;
    connections.push(deaf);
    return deaf;
  };
  const read = async (from: RedisSnapshots) => (await from.intersecting('adsb', ALPS))[0];
  const polled = async (page: ViewingPage, from: RedisSnapshots) => {
    const snapshot = await read(from);
    if (!snapshot) throw new Error('there is nothing');
    const poll = await page.poll(snapshot);
    expect(poll.records).toEqual(quantise(snapshot.positions.values()));
    return poll;
  };
  const keys = async (pattern: string) => (await server.admin('KEYS', pattern)) as string[];

  test('whoever wrote it, every server reads the same records', async () => {
    let fence = 0;
    await fc.assert(
      fc.asyncProperty(anyPositions, async (positions) => {
        const put = await snapshots.put(records(addMs(NOW, ++fence), positions), lease(fence));
        for (const each of [snapshots, other]) {
          const { sequence, fetchedAt, positions } = (await read(each)) ?? {};
          expect({ sequence, fetchedAt, positions }).toEqual({
            sequence: put?.sequence,
            fetchedAt: put?.fetchedAt,
            positions: put?.positions,
          });
        }
        expect([...(put?.positions.keys() ?? [])].sort()).toEqual([...new Set(positions.map(({ ref }) => ref))].sort());
      }),
      { numRuns: 40 },
    );
  });

  test('a server that stood still after its lease was given to another one can write nothing', async () => {
    const [leases, others] = connections.map((each) => new RedisLeases(each)) as [RedisLeases, RedisLeases];
    const at = localInstant(Date.UTC(2026, 10, 21, 12));
    const late = await leases.acquire(AREA.key, 60_000, at);
    const next = await others.acquire(AREA.key, 60_000, addMs(at, 60_000));
    if (!late || !next) throw new Error('no lease');
    expect(await snapshots.put(records(NOW), late), 'before the other has written').toBeUndefined();
    expect((await other.put(records(NOW), next))?.sequence).toBe(1);
  });

  describe('what changed', () => {
    test('is read by each server as soon as it is written, though nobody asks', async () => {
      const keeper = new HeardReads();
      const reader = newSnapshots(second, NEVER_MS, keeper);
      await read(reader);
      await snapshots.put(traffic(1), lease());
      await keeper.until(1);
      expect(await read(reader)).toMatchObject({ fetchedAt: addMs(NOW, 1000) });
    });

    test('is asked once for all who read at the same time, and not again for a second', async () => {
      await other.put(records(NOW), lease());
      const alone = await connectTo(server.target);
      connections.push(alone);
      const reader = newSnapshots(alone, 1000);
      await Promise.all(Array.from({ length: 100 }, () => read(reader)));
      expect(alone.counts.commands, 'what changed, with its frames').toBe(1);
      local = addMs(local, 999);
      await read(reader);
      expect(alone.counts.commands).toBe(1);
      local = addMs(local, 1);
      expect((await read(reader))?.sequence).toBe(1);
      expect(alone.counts.commands, 'nothing changed').toBe(2);
    });

    test('is found after a time without a connection, which has told nothing', async () => {
      const keeper = new HeardReads();
      const reader = newSnapshots(second, NEVER_MS, keeper);
      await read(reader);
      server.pause();
      await expect(second.send(['PING'])).rejects.toThrow();
      server.resume();
      // The other connection is back first, or has not been lost.
      await becomes(first, 'reachable');
      await snapshots.put(traffic(1), lease());
      await keeper.until(1);
      expect(await read(reader)).toMatchObject({ fetchedAt: addMs(NOW, 1000) });
    });

    test('is not asked by the server that wrote it', async () => {
      const alone = await connectTo(server.target);
      connections.push(alone);
      const writer = newSnapshots(alone, NEVER_MS);
      await read(writer);
      // It begins something new, and is looked at by all.
      await writer.put(traffic(1), lease());
      await read(writer);
      const before = alone.counts.commands;
      for (let step = 2; step <= 5; step++) await writer.put(traffic(step), lease());
      // The store tells in order, so that all was told when this is.
      const announced = new Promise<void>((resolve) => alone.subscribe('told', () => resolve()));
      await alone.send(['PUBLISH', 'told', '']);
      await announced;
      expect(alone.counts.commands - before).toBe(4 + 1);
      expect((await read(writer))?.sequence).toBe(5);
    });

    test('is read in parts where it is much', async () => {
      for (let area = 0; area < 40; area++) {
        const key = `adsb:${area}`;
        await snapshots.put({ ...traffic(1), area: { key, layer: 'adsb', bbox: ALPS } }, { name: key, fence: 1 });
      }
      expect(await newSnapshots(second).intersecting('adsb', ALPS)).toHaveLength(40);
      expect(await other.intersecting('adsb', ALPS)).toHaveLength(40);
    });
  });

  test('without the store what is held is read on, and nothing is said to be written', async () => {
    await snapshots.put(records(NOW), lease());
    server.pause();
    expect(await read(snapshots)).toMatchObject({ sequence: 1, fetchedAt: NOW });
    await expect(snapshots.put(records(addMs(NOW, 1)), lease(2))).rejects.toThrow();
    server.resume();
    await Promise.all(connections.map((each) => becomes(each, 'reachable')));
    expect(await read(snapshots)).toMatchObject({ fetchedAt: NOW });
  });

  describe('a frame is understood whoever made the one before', () => {
    test('a server that has just started passes on the deltas that it finds', async () => {
      const page = new ViewingPage();
      for (let step = 1; step <= 4; step++) {
        await (step % 2 ? snapshots : other).put(traffic(step), lease());
        if (step === 1) await polled(page, other);
        // The next writer has what the one before has written.
        await Promise.all([snapshots, other].map(read));
      }
      expect(await polled(page, newSnapshots(second))).toMatchObject({ form: 3 });
    });

    test('after a writer that had not read the frame before, everybody gets a full one', async () => {
      const pages = [new ViewingPage(), new ViewingPage()] as const;
      for (let step = 1; step <= 2; step++) await snapshots.put(traffic(step), lease());
      await polled(pages[0], snapshots);
      // Nobody told it of the frames before.
      const late = newSnapshots(second, NEVER_MS);
      expect((await late.put(traffic(3), lease()))?.sequence).toBe(3);
      expect(await polled(pages[0], snapshots)).toMatchObject({ form: 'full' });
      expect(await polled(pages[1], late)).toMatchObject({ form: 'full' });
      await snapshots.put(traffic(4), lease());
      expect(await polled(pages[1], snapshots), 'and deltas from then on').toMatchObject({ form: 1 });
    });

    test('a flush takes nothing from the picture; what is written then has another name', async () => {
      const page = new ViewingPage();
      for (let step = 1; step <= 3; step++) await snapshots.put(traffic(step), lease());
      const { name } = await polled(page, other);
      await server.admin('FLUSHALL');
      expect(await read(other), 'aged').toMatchObject({ sequence: 3, fetchedAt: addMs(NOW, 3000) });
      expect(await polled(page, other)).toMatchObject({ name, form: 0 });
      for (let step = 4; step <= 6; step++) await other.put(traffic(step), lease());
      expect(await read(snapshots), 'a sequence that was there').toMatchObject({ sequence: 3 });
      const again = await polled(page, snapshots);
      expect(again).toMatchObject({ form: 'full' });
      expect(again.name).not.toBe(name);
    });

    test('after a failover to an older copy too, and nothing older than before is shown', async () => {
      const page = new ViewingPage();
      await snapshots.put(traffic(1), lease());
      await server.keepCopy();
      for (let step = 2; step <= 3; step++) await snapshots.put(traffic(step), lease());
      const { name } = await polled(page, other);
      await server.failOverToCopy();
      expect(await read(other)).toMatchObject({ sequence: 3, fetchedAt: addMs(NOW, 3000) });
      expect(await read(newSnapshots(second)), 'who knows no better').toMatchObject({ sequence: 1 });
      const written = newSnapshots(first);
      await read(written);
      await written.put(traffic(4), lease());
      expect(await read(other), 'a sequence that was there').toMatchObject({
        sequence: 3,
        fetchedAt: addMs(NOW, 4000),
      });
      const again = await polled(page, other);
      expect(again).toMatchObject({ form: 'full' });
      expect(again.name).not.toBe(name);
    });
  });

  describe('trails', () => {
    test('are told what other servers have read, whether all of it or not, and nothing twice', async () => {
      await read(other);
      await snapshots.put({ ...traffic(1), incomplete: 'pages_pending' }, lease());
      await read(other);
      await snapshots.put(traffic(2), lease());
      await read(other);
      await other.put(traffic(3), lease());
      await read(other);
      expect(reads.heard).toEqual(['missed before 1', 'read at 1, incomplete', 'read at 2']);
    });

    describe('of a server to which nothing is told', () => {
      let late: RedisSnapshots;
      let keeper: HeardReads;
      beforeEach(async () => {
        keeper = new HeardReads();
        late = newSnapshots(await deafConnection(), 1000, keeper);
        await snapshots.put(traffic(1), lease());
        await look();
      });
      const look = () => {
        keeper.heard.length = 0;
        local = addMs(local, 1000);
        return read(late);
      };

      test('are told what came between, as long as the store has it, and what is missing otherwise', async () => {
        for (let step = 2; step <= 5; step++) await snapshots.put(traffic(step), lease());
        await look();
        expect(keeper.heard).toEqual(['read at 2', 'read at 3', 'read at 4', 'read at 5']);
        for (let step = 6; step <= 10; step++) await snapshots.put(traffic(step), lease());
        await look();
        expect(keeper.heard).toEqual(['missed before 10', 'read at 10']);
      });

      test('do not go on as if nothing had come between where an area was forgotten and is read again', async () => {
        await snapshots.put(traffic(2), lease());
        await late.forgetBefore(addMs(NOW, 3000), new Set());
        await snapshots.put(traffic(4), lease());
        await look();
        expect(keeper.heard).toEqual(['missed before 4', 'read at 4']);
      });

      test('nor where it was forgotten here after the store had lost everything', async () => {
        await snapshots.put(traffic(2), lease());
        await server.admin('FLUSHALL');
        const more = { ...traffic(3), area: { ...AREA, key: 'adsb:more' } };
        await snapshots.put(more, lease());
        await look();
        await late.forgetBefore(addMs(NOW, 3000), new Set());
        await snapshots.put(traffic(4), lease());
        await look();
        expect(keeper.heard).toEqual(['missed before 4', 'read at 4']);
      });

      test('nor after a failover to an older copy, where a reader and the writer have begun with that', async () => {
        await server.keepCopy();
        await snapshots.put(traffic(2), lease());
        await server.failOverToCopy();
        await snapshots.put({ ...traffic(3), area: { ...AREA, key: 'adsb:more' } }, lease());
        late = newSnapshots(await deafConnection(), 1000, keeper);
        await look();
        const writer = newSnapshots(first);
        await read(writer);
        await writer.put(traffic(4), lease());
        await look();
        expect(keeper.heard).toEqual(['missed before 4', 'read at 4']);
      });

      test('go on where an area is read for the first time', async () => {
        await snapshots.put({ ...traffic(2), area: { ...AREA, key: 'adsb:more' } }, lease());
        await look();
        expect(keeper.heard).toEqual(['read at 2']);
      });
    });
  });

  test('what cannot be read is left out, and said', async () => {
    await snapshots.put(records(NOW), lease());
    const [key = ''] = await keys('*full*');
    await server.admin('SETRANGE', key, '30', 'garbage');
    expect(await read(newSnapshots(second))).toBeUndefined();
    expect(warnings).toContain('a snapshot in the shared store cannot be read');
    await snapshots.put(records(addMs(NOW, 1)), lease());
    expect(await read(other)).toMatchObject({ sequence: 2 });
  });

  test('a delta that cannot be read is passed on to nobody', async () => {
    for (let step = 1; step <= 3; step++) await snapshots.put(traffic(step), lease());
    const [key = ''] = await keys('*links*');
    await server.admin('LSET', key, '1', '2 3\ngarbage');
    const page = new ViewingPage();
    await page.poll((await read(snapshots)) as never);
    const late = newSnapshots(second);
    expect(await polled(new ViewingPage(), late)).toMatchObject({ form: 'full' });
    expect(warnings).toContain('a snapshot in the shared store cannot be read');
    await snapshots.put(traffic(4), lease());
    expect(await polled(page, late)).toMatchObject({ form: 1 });
  });

  test('the store keeps nothing for ever, and of each area one frame and few deltas', async () => {
    for (let step = 1; step <= 10; step++) await snapshots.put(traffic(step), lease());
    const all = await keys('*');
    expect(all).toHaveLength(5);
    for (const key of all) expect(Number(await server.admin('PTTL', key)), key).toBeGreaterThan(0);
    expect(await server.admin('LLEN', (await keys('*links*'))[0] ?? '')).toBe(4);
    await snapshots.forgetBefore(addMs(NOW, 60_000), new Set());
    expect(await keys('*full*')).toEqual([]);
    expect(await keys('*links*')).toEqual([]);
  });

  test('a reader that missed more than is remembered reads all anew', async () => {
    await snapshots.put(records(NOW), lease());
    const late = newSnapshots(await deafConnection(), 1000);
    expect(await read(late)).toBeDefined();
    for (let area = 0; area < 1100; area++) {
      const key = `adsb:${area}`;
      const put = { ...records(addMs(NOW, -1)), area: { key, layer: 'adsb', bbox: ALPS } } as const;
      await snapshots.put(put, { name: key, fence: 1 });
    }
    await snapshots.forgetBefore(NOW, new Set());
    local = addMs(local, 1000);
    expect((await late.intersecting('adsb', ALPS)).map(({ area }) => area.key)).toEqual([AREA.key]);
    expect(await server.admin('ZCARD', (await keys('*changes'))[0] ?? '')).toBe(1);
  });
});
