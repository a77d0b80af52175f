import { sql } from 'kysely';
import { afterEach, expect, test, vi } from 'vitest';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Reception } from '#lib/model/reception.ts';
import { epochMs, formatInstant, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { type RunningService, startService } from '#service/server/start-service.ts';
import type { Source } from '#service/sources/observation.ts';
import { eventually } from '#testing/eventually.ts';
import { steadyTraffic } from '#testing/live-harness.ts';
import { type SharedServer, startSharedServer } from '#testing/shared-servers.ts';
import { describePostgres } from '#testing/test-databases.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import type { DatabaseTarget } from '../database/open-database.ts';
import type { AreaEvent } from '../live/area-reads.ts';
import { areaOf } from '../live/snapshots.ts';
import { StatusReader } from '../live/status-reader.ts';
import { patientSupervisor } from '../supervision/supervisor.fixture.ts';
import type { Supervisor } from '../supervision/supervisor.ts';

const VIEW: Bbox = { west: 8, south: 47, east: 9, north: 48 };
const viewer = (page: string) => ({ operator: page, session: undefined, page });

let service: RunningService;
const servers: SharedServer[] = [];

const live = (operation: string) => service.requests().filter((request) => request.operation === operation);

describePostgres('several servers over one database', (databases) => {
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
    await service.close(0);
  });

  async function start(
    count: number,
    allowance = { perMinute: 600, perDay: 50_000 },
    source: Source = steadyTraffic(3),
    target = databases.newTarget(),
  ): Promise<DatabaseTarget> {
    service = await startService({ source, now: () => upstreamInstant(Date.now()), allowance });
    for (let index = 0; index < count; index++) await add(target);
    return target;
  }
  async function add(target: DatabaseTarget, supervisor?: Supervisor): Promise<void> {
    const database = await databases.open(target);
    servers.push(await startSharedServer(`server-${servers.length + 1}`, database, service, supervisor));
  }
  const writer = () => servers.find(({ lease }) => lease.fence !== undefined);
  const readers = () => servers.filter(({ lease }) => lease.fence === undefined);

  test('cold reads of one view at all servers are one refresh of each layer, and have its records', async () => {
    // The next refresh is due after half a minute, even just before midnight.
    await start(3, { perMinute: 6, perDay: 1000 });
    const readAll = () =>
      Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          servers[index % 3]!.reader.read(viewer(`page ${index}`), VIEW, ['rid', 'adsb']),
        ),
      );
    await eventually(async () => {
      for (const { layers } of await readAll()) {
        expect([layers.rid?.records.length, layers.adsb?.records.length]).toEqual([3, 3]);
        expect([layers.rid?.state, layers.adsb?.state]).toEqual(['fresh', 'fresh']);
      }
    });
    expect([live('live_rid').length, live('live_adsb').length]).toEqual([1, 1]);
  });

  test('a view of a reader is refreshed by the writer, with the same edition everywhere, and heard of by each server', async () => {
    await start(2);
    const [reader] = readers();
    const events: AreaEvent[] = [];
    reader!.reads.subscribe((event) => events.push(event));
    await reader!.reader.read(viewer('only'), VIEW, ['adsb']);
    await eventually(async () => {
      await reader!.reader.read(viewer('only'), VIEW, ['adsb']);
      expect(live('live_adsb').length).toBeGreaterThan(2);
    });
    await eventually(() => {
      const [one, other] = servers.map(({ snapshots }) => snapshots.intersecting('adsb', VIEW));
      expect(one).toHaveLength(1);
      const editions = [one, other].map((all) =>
        all?.map(({ name, sequence, fetchedAt }) => [name, sequence, fetchedAt]),
      );
      expect(editions[0]).toEqual(editions[1]);
    });
    const known = reader!.snapshots.intersecting('adsb', VIEW)[0]!;
    expect([...known.positions.keys()].sort()).toEqual(
      [...writer()!.snapshots.of(known.area)!.positions.keys()].sort(),
    );
    const read = events.filter(({ kind }) => kind === 'read');
    expect(read.length).toBeGreaterThanOrEqual(2);
    expect(events.filter(({ kind }) => kind === 'missed')).toHaveLength(1);
    expect(events[0]).toMatchObject({ kind: 'missed', area: { key: areaOf('adsb', known.area.bbox).key } });
  });

  test('a writer that another one followed without its knowledge spends nothing more, and its ledger goes on', async () => {
    const target = await start(3);
    const readAll = () =>
      Promise.all(servers.map((server) => server.reader.read(viewer(server.name), VIEW, ['rid', 'adsb'])));
    const { query } = await databases.open(target);
    for (let turn = 0; turn < 2; turn++) {
      await readAll();
      const before = writer()!;
      const { fence } = before.lease;
      const atTakeover = service.requests().length;
      // Like a pause of the process that outlasts its lease.
      await sql`update writer set fence = fence + 1`.execute(query);
      expect(before.lease.fence).toBe(fence);
      expect(await before.ledger.reserve(1, 'first-view', before.client.clock.now())).toMatchObject({
        kind: 'refused',
      });
      await eventually(() => expect(writer()?.lease.fence).toBeGreaterThan((fence ?? 0) + 1), 20);
      await eventually(async () => {
        const answers = await readAll();
        expect(service.requests().length).toBeGreaterThan(atTakeover + 2);
        for (const { layers } of answers) expect(layers.adsb?.state).toBe('fresh');
      }, 200);
    }
    // Counted first: a request that is made meanwhile is reserved in the ledger before it is sent.
    const requests = service.requests();
    const now = writer()!.client.clock.now();
    const { spentToday, day } = await writer()!.ledger.state(now);
    const today = formatInstant(now).slice(0, 'YYYY-MM-DD'.length);
    const ofToday = requests.filter(({ received_at }) => received_at.startsWith(today));
    expect(spentToday + day.reserved).toBeGreaterThanOrEqual(ofToday.length);
  });

  test('a writer that leaves calls its picture fresh until its successor has been silent for 5 s', async () => {
    await start(1);
    const leaving = writer()!;
    await leaving.reader.read(viewer('only'), VIEW, ['adsb']);
    const nowMs = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs() + 10_000);
    try {
      await leaving.planned.resign();
      const { layers } = await leaving.reader.read(viewer('only'), VIEW, ['adsb']);
      expect(layers.adsb).toMatchObject({ state: 'fresh', reason: null });
    } finally {
      clock.mockRestore();
    }
  });

  test('a reader learns the reception from the frames of the writer, also where no record changes', async () => {
    let reception: Reception = { state: 'ok', since: undefined, receivers: 2, receiving: 2 };
    const source = { ...steadyTraffic(0), reception: () => reception };
    await start(2, undefined, source);
    const [reader] = readers();
    const answered = async () => (await reader!.reader.read(viewer('only'), VIEW, ['adsb'])).layers.adsb;
    await eventually(async () =>
      expect(await answered()).toMatchObject({ state: 'fresh', reception: { state: 'ok' } }),
    );
    const since = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 31));
    reception = { state: 'lost', since, receivers: 2, receiving: 0 };
    await eventually(async () =>
      expect(await answered()).toMatchObject({
        state: 'failed',
        reason: 'receivers_lost',
        failing_since: '2026-11-21T12:04:31.000Z',
        reception: { state: 'lost', receivers: 2, receiving: 0 },
      }),
    );
    const status = new StatusReader({
      clock: reader!.client.clock,
      ledger: reader!.ledger,
      snapshots: reader!.snapshots,
      planned: reader!.planned,
      checkAccount: async () => undefined,
      now: () => localInstant(Date.now()),
    });
    expect((await status.read()).layers.adsb).toMatchObject({ state: 'failing', reason: 'receivers_lost' });
    reception = { state: 'ok', since: undefined, receivers: 2, receiving: 2 };
    await eventually(async () => expect(await answered()).toMatchObject({ state: 'fresh', reason: null }));
  });

  test('readers know which parts of the writer fail, from when, and stay ready themselves', async () => {
    const target = await start(0);
    const [own, other] = [patientSupervisor(), patientSupervisor()];
    await add(target, own);
    await add(target, other);
    expect(servers[0]?.lease.fence).toBeDefined();
    const known = () => servers.map(({ planned }) => planned.servers.failing);
    const [watch, queue] = [own.part('watch'), own.part('delivery', 'a-destination')];
    const at = Date.now();
    watch.failed(new TypeError('not a function'));
    queue.failed(new DatabaseFailure('denied', 'no right'));
    await eventually(() =>
      expect(known()).toEqual([
        [],
        [
          { part: 'watch', of: undefined, since: expect.any(Number), reason: 'defect' },
          { part: 'delivery', of: 'a-destination', since: expect.any(Number), reason: 'database_denied' },
        ],
      ]),
    );
    expect(Math.abs(epochMs(known()[1]![0]!.since) - at)).toBeLessThan(60_000);
    expect(other.recent).toEqual([]);
    watch.worked();
    queue.end();
    await eventually(() => expect(known()).toEqual([[], []]));
  });

  test('without a writer readers say so, and call nothing fresh that is not', async () => {
    const cluster = databases.newCluster();
    await start(2, undefined, undefined, cluster.target());
    const [reader] = readers();
    await reader!.reader.read(viewer('only'), VIEW, ['adsb']);
    cluster.stop();
    try {
      await eventually(async () => {
        const { layers } = await reader!.reader.read(viewer('only'), VIEW, ['adsb']);
        expect(layers.adsb).toMatchObject({ state: 'stale', reason: 'database_lost' });
        expect(layers.adsb?.records).toHaveLength(3);
      });
      const sent = service.requests().length;
      const elsewhere = { west: 20, south: 47, east: 21, north: 48 };
      const unread = await reader!.reader.read(viewer('only'), elsewhere, ['adsb']);
      expect(unread.layers.adsb).toMatchObject({ state: 'failed', reason: 'database_lost' });
      expect(service.requests().length).toBe(sent);
    } finally {
      cluster.start();
    }
    await eventually(async () => {
      const { layers } = await reader!.reader.read(viewer('only'), VIEW, ['adsb']);
      expect(layers.adsb?.state).toBe('fresh');
    });
  });

  test('refills the tables that a crash of the database has emptied', async () => {
    const target = await start(2);
    const [reader] = readers();
    await reader!.reader.read(viewer('only'), VIEW, ['adsb']);
    const { query } = await databases.open(target);
    for (const table of ['frame', 'live_plan', 'server'] as const) await query.deleteFrom(table).execute();
    await eventually(async () => {
      for (const table of ['frame', 'live_plan', 'server'] as const)
        expect((await query.selectFrom(table).selectAll().execute()).length).toBeGreaterThan(0);
    });
    await add(target);
    await eventually(async () => {
      const { layers } = await servers[2]!.reader.read(viewer('other'), VIEW, ['adsb']);
      expect([layers.adsb?.state, layers.adsb?.records.length]).toEqual(['fresh', 3]);
    });
  });
});
