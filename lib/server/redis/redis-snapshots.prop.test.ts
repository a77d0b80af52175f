import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { quantise } from '#lib/codec/quantise.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs, epochMs, type LocalInstant, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { plainPosition } from '../../model/plain-position.fixture.ts';
import { AreaReads } from '../ports/area-reads.ts';
import { SharedStoreFailure } from '../ports/shared-store-failure.ts';
import type { AreaRecords, AreaSnapshot } from '../ports/snapshots.ts';
import { ViewingPage } from '../ports/viewing-page.fixture.ts';
import { PlaceColumns } from '../trails/place-columns.ts';
import { TrailKeeper } from '../trails/trail-keeper.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { RedisFailure } from './connection/redis-failure.ts';
import { connectTo, hasRedis, type RedisServer, startRedis } from './redis-server.fixture.ts';
import { RedisSnapshots } from './redis-snapshots.ts';

const START = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const SERVERS = 3;
const PAGES = 2;
const BOXES = [8, 9].map((west) => ({ west, south: 47, east: west + 0.9, north: 48 }));
const AREAS = BOXES.map((bbox, index) => ({ key: `adsb:${index}`, layer: 'adsb' as const, bbox }));
const WORLD = { west: 0, south: 40, east: 20, north: 50 };
const CHECK_EVERY_MS = 1000;

const server = fc.nat({ max: SERVERS - 1 });
const area = fc.nat({ max: AREAS.length - 1 });
/** What becomes of the write: it never arrives, or its answer is lost. */
const fault = fc.constantFrom(undefined, undefined, undefined, undefined, 'unsent', 'unanswered');
const event = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('put'),
      server,
      area,
      tracks: fc.nat({ max: 31 }),
      isComplete: fc.boolean(),
      looksFirst: fc.boolean(),
      fault,
    }),
  },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('poll'), page: fc.nat({ max: PAGES - 1 }), server }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('look'), server }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('hear'), server }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('restart', 'forget'), server }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('flush', 'copy', 'failover', 'failover') }) },
);
type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never;

/** What the store tells comes when it is let through, if ever, and writes fail as they do in a network. */
class FatefulConnection {
  fault: 'unsent' | 'unanswered' | undefined;
  readonly #connection: RedisConnection;
  #onMessage: (message: string) => void = () => undefined;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  onChange(): () => void {
    return () => undefined;
  }

  subscribe(_: string, onMessage: (message: string) => void): void {
    this.#onMessage = onMessage;
  }

  /** What was told last. */
  async hear(): Promise<void> {
    const [meta] = (await this.#connection.send(['KEYS', '*:meta'])) as string[];
    if (meta === undefined) return;
    const announced = (await this.#connection.send(['HMGET', meta, 'run', 'version'])) as string[];
    this.#onMessage(announced.join(' '));
  }

  async run(...command: Parameters<RedisConnection['run']>): Promise<unknown> {
    const { fault } = this;
    this.fault = undefined;
    if (fault !== 'unsent') {
      const answer = await this.#connection.run(...command);
      if (fault === undefined) return answer;
    }
    throw new RedisFailure('slow', fault, true);
  }
}

class Replica {
  readonly connection: FatefulConnection;
  readonly reads = new AreaReads();
  readonly trails = new TrailKeeper(this.reads);
  readonly snapshots: RedisSnapshots;
  local: LocalInstant = localInstant(0);

  constructor(connection: RedisConnection, warned: () => void) {
    this.connection = new FatefulConnection(connection);
    this.snapshots = new RedisSnapshots({
      connection: this.connection as unknown as RedisConnection,
      reads: this.reads,
      now: () => this.local,
      log: { warn: warned } as never,
      checkEveryMs: CHECK_EVERY_MS,
    });
  }

  /** As the server has them, without asking the store. */
  shown(): Promise<readonly AreaSnapshot[]> {
    return this.snapshots.intersecting('adsb', WORLD);
  }

  look(): Promise<readonly AreaSnapshot[]> {
    this.local = addMs(this.local, CHECK_EVERY_MS);
    return this.shown();
  }
}

class Fleet {
  readonly replicas: Replica[];
  /** Of each snapshot that was written, by its number, which it carries as that of its unreadable records. */
  readonly #written: AreaRecords[] = [];
  /** Those that never came to the store. */
  readonly #lost = new Set<AreaRecords>();
  readonly #pages = Array.from({ length: PAGES }, () => new ViewingPage());
  readonly #connections: readonly RedisConnection[];
  readonly #store: RedisServer;
  #now = START;
  warnings = 0;

  constructor(store: RedisServer, connections: readonly RedisConnection[]) {
    this.#store = store;
    this.#connections = connections;
    this.replicas = connections.map((each) => this.#replica(each));
  }

  async happen(event: Event): Promise<void> {
    const replica = this.replicas['server' in event ? event.server : 0] as Replica;
    switch (event.kind) {
      case 'put':
        return this.#put(replica, event);
      case 'poll':
        return this.#poll(this.#pages[event.page] as ViewingPage, replica);
      case 'look':
        await replica.look();
        break;
      case 'hear':
        await replica.connection.hear();
        await replica.shown();
        break;
      case 'restart':
        this.replicas[event.server] = this.#replica(this.#connections[event.server] as RedisConnection);
        break;
      case 'forget':
        await replica.snapshots.forgetBefore(addMs(this.#now, -30_000), new Set());
        break;
      case 'flush':
        await this.#store.admin('FLUSHALL');
        break;
      case 'copy':
        await this.#store.keepCopy();
        break;
      case 'failover':
        await this.#store.failOverToCopy();
    }
    await this.#checkTrails(replica);
  }

  #replica(connection: RedisConnection): Replica {
    return new Replica(connection, () => this.warnings++);
  }

  async #put(
    replica: Replica,
    { area, tracks, isComplete, looksFirst, fault }: Extract<Event, { kind: 'put' }>,
  ): Promise<void> {
    const before = this.#now;
    this.#now = addMs(before, 5000);
    const of = AREAS[area] as (typeof AREAS)[number];
    const positions = [0, 1, 2, 3, 4]
      .filter((track) => (tracks >> track) & 1)
      .map((track) => this.#position(of, track));
    const records: AreaRecords = {
      area: of,
      positions: new Map(positions.map((each) => [each.ref, each])),
      fetchedAt: isComplete ? this.#now : before,
      readAt: this.#now,
      incomplete: isComplete ? undefined : 'pages_interrupted',
      unreadable: this.#written.length,
    };
    this.#written.push(records);
    replica.connection.fault = fault;
    if (looksFirst) await replica.look();
    const isLost = replica.connection.fault === 'unsent';
    try {
      await replica.snapshots.put(records, { name: of.key, fence: this.#written.length });
      replica.reads.publish({ kind: 'read', area: of, positions: records.positions, readAt: this.#now, isComplete });
    } catch (error) {
      if (!(error instanceof SharedStoreFailure)) throw error;
      if (isLost) this.#lost.add(records);
    }
    await this.#checkTrails(replica);
  }

  #position(of: (typeof AREAS)[number], track: number): Position {
    const ref = `RX-A-${of.bbox.west}00000000000000${track}`;
    const lon = of.bbox.west + track / 10 + this.#written.length / 10_000;
    return { ...plainPosition, ref, observedAt: this.#now, lon, lat: 47.5, altitudeM: 1000 + track };
  }

  /** A page has exactly the records of the snapshot that it was told of, whoever told it what before. */
  async #poll(page: ViewingPage, replica: Replica): Promise<void> {
    for (const snapshot of await replica.shown()) {
      const { records } = await page.poll(snapshot);
      const written = this.#written[snapshot.unreadable] as AreaRecords;
      expect(records).toEqual(quantise(written.positions.values()));
      expect([snapshot.area.key, snapshot.readAt]).toEqual([written.area.key, written.readAt]);
    }
  }

  /** From the time on that a server names, it has all that was read until what it shows. */
  async #checkTrails(replica: Replica): Promise<void> {
    const { trails } = replica;
    const shown = await replica.shown();
    const places = new PlaceColumns();
    const known = new Set<string>();
    for (const track of trails.positions.tracks('adsb')) {
      trails.positions.read(track, Number.NEGATIVE_INFINITY, places);
      for (const atMs of places.atMs.subarray(0, places.count)) known.add(`${track.ref} ${atMs}`);
    }
    for (const { area, readAt } of shown) {
      const since = trails.times.since('adsb', [area.bbox], this.#now);
      if (since === undefined) continue;
      const read = this.#written.filter((each) => each.area.key === area.key && !this.#lost.has(each));
      for (const { positions } of read.filter((each) => each.readAt >= since && each.readAt <= readAt)) {
        for (const { ref, observedAt } of positions.values()) expect(known).toContain(`${ref} ${epochMs(observedAt)}`);
      }
    }
  }
}

describe.skipIf(!hasRedis())('snapshots of several servers', () => {
  let store: RedisServer;
  let connections: RedisConnection[];
  beforeAll(async () => {
    store = await startRedis();
    connections = await Promise.all(
      Array.from({ length: SERVERS }, () => connectTo(store.target, { timeoutMs: 5000 })),
    );
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    await store.remove();
  });

  test('whatever is missed, flushed, forgotten or failed over: a page has what it was told, and trails what they say', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 20, maxLength: 60 }), async (events) => {
        await store.admin('FLUSHALL');
        const fleet = new Fleet(store, connections);
        for (const each of events) await fleet.happen(each);
        // Nothing that is stored is taken for damaged.
        expect(fleet.warnings).toBe(0);
      }),
      { numRuns: 100 },
    );
  });
});
