import { beforeAll, expect, test } from 'vitest';
import { addMs, epochMs, localInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { eventually } from '#testing/eventually.ts';
import { HistoryFleet, type Replica } from '#testing/history-fleet.ts';
import { HOUR, historyQuery, loadAll, startHistoryHarness, tracks } from '#testing/history-harness.ts';
import type { Cluster } from '#testing/postgres-cluster.ts';
import { describePostgres } from '#testing/test-databases.ts';
import type { LoadEvent } from '../history-load.ts';
import { partColumns } from './history-part.ts';
import { WantedParts } from './wanted-parts.ts';

const OBSERVATIONS = tracks(20);
const PARTS_AT_ONCE = 2;
/** The clock stands still until a load waits. */
const START = localInstant(Date.UTC(2026, 10, 21, 12, 0, 10));

describePostgres('the past, loaded by several servers', (databases) => {
  let alone: { readonly requests: number; readonly keys: ReadonlyMap<string, number> };
  let fleet: HistoryFleet;
  let writer: Replica;
  let reader: Replica;
  let cluster: Cluster;

  beforeAll(async () => {
    const history = await startHistoryHarness(OBSERVATIONS);
    const { keys } = await loadAll(history.reader);
    alone = { requests: history.requests(), keys };
    await history.live.close();
  });

  const withFleet = (title: string, run: () => Promise<void>, newTarget = () => databases.newTarget()) =>
    test(title, async () => {
      const target = newTarget();
      fleet = new HistoryFleet(() => databases.open(target), OBSERVATIONS);
      writer = await fleet.add();
      reader = await fleet.add();
      fleet.leaseTo(writer);
      try {
        await run();
      } finally {
        await fleet.close();
      }
    });

  const load = ({ history }: Replica, operator: string, query = historyQuery()) =>
    loadAll(history.reader, query, operator);
  const wantedRows = async () => (await writer.database.query.selectFrom('wanted_part').select('id').execute()).length;
  const keptParts = async () => (await writer.database.query.selectFrom('part').select('layer').execute()).length;
  const isPart = (event: LoadEvent | undefined) => event?.kind === 'part';

  async function loadParts(events: AsyncGenerator<LoadEvent>, count: number): Promise<void> {
    for (let parts = 0; parts < count; ) if (isPart((await events.next()).value as LoadEvent)) parts++;
  }

  async function rest(events: AsyncGenerator<LoadEvent>): Promise<readonly LoadEvent[]> {
    const all: LoadEvent[] = [];
    for await (const event of events) all.push(event);
    return all;
  }

  const pausesOf = (events: readonly LoadEvent[]) =>
    new Set(
      events.flatMap((event) =>
        event.kind === 'line' && event.line.type === 'progress' && event.line.paused ? [event.line.paused.reason] : [],
      ),
    );
  const COMPLETE = { line: { type: 'end', layers: { adsb: { complete: true } } } };

  withFleet('a reader’s load is the one of a single server, paid once, and then costs nothing anywhere', async () => {
    const { adsb, keys } = await load(reader, 'alice');
    expect(adsb).toMatchObject({ complete: true, records: OBSERVATIONS.length, requests: alone.requests });
    expect(keys).toEqual(alone.keys);
    expect(fleet.requests()).toBe(alone.requests);
    const third = await fleet.add();
    for (const replica of [writer, reader, third]) {
      expect((await replica.history.reader.cost(historyQuery(), 'bob')).middle.expected).toBe(0);
      expect(await load(replica, 'bob')).toMatchObject({ keys: alone.keys, adsb: { complete: true, requests: 0 } });
    }
    expect(fleet.requests()).toBe(alone.requests);
    expect(await wantedRows()).toBe(0);
    expect(await writer.database.query.selectFrom('answered_part').selectAll().execute()).toEqual([]);
  });

  withFleet('two readers and the writer that load the same share each request', async () => {
    const third = await fleet.add();
    const ends = await Promise.all([load(reader, 'alice'), load(third, 'bob'), load(writer, 'carol')]);
    for (const { adsb, keys } of ends) {
      expect(adsb).toMatchObject({ complete: true });
      expect(keys).toEqual(alone.keys);
    }
    expect(ends.reduce((sum, { adsb }) => sum + (adsb?.requests ?? 0), 0)).toBe(fleet.requests());
    expect(fleet.repeated()).toBe(0);
  });

  withFleet('a part that is not settled, and so is not cached, comes through', async () => {
    const window = { start: addMs(HOUR.end, 55 * MINUTE_MS), end: addMs(HOUR.end, HOUR_MS + 10_000) };
    const { adsb } = await load(reader, 'alice', historyQuery({ window }));
    expect(adsb).toMatchObject({ complete: true });
    expect(adsb?.requests).toBe(fleet.requests());
    expect(adsb?.requests).toBeGreaterThan(0);
    expect((await load(reader, 'alice', historyQuery({ window }))).adsb?.requests).toBeGreaterThan(0);
  });

  withFleet('a reader’s load waits as long as the upstream demands of the writer, says why, and goes on', async () => {
    const events = reader.history.reader.load(historyQuery(), 'alice', new AbortController().signal);
    writer.history.live.service.setFault({ kind: 'status', status: 429, retry_after: '10', times: 1 });
    const all = await rest(events);
    expect(all.at(-1)).toMatchObject(COMPLETE);
    expect(pausesOf(all)).toEqual(new Set(['allowance_used_up']));
  });

  withFleet(
    'the writer dies amid a reader’s load: the next one goes on, and repeats what was in flight alone',
    async () => {
      const next = await fleet.add();
      const events = reader.history.reader.load(historyQuery(), 'alice', new AbortController().signal);
      await loadParts(events, 4);
      const { service } = writer.history.live;
      service.setFault({ kind: 'silent' });
      const before = fleet.requests();
      const ended = rest(events);
      await eventually(() => expect(fleet.requests()).toBeGreaterThan(before));
      await writer.kill();
      service.clearFault();
      expect(await wantedRows()).toBeGreaterThan(0);
      fleet.leaseTo(next);
      expect((await ended).at(-1)).toMatchObject(COMPLETE);
      expect(fleet.repeated()).toBeGreaterThan(0);
      expect(fleet.repeated()).toBeLessThanOrEqual(PARTS_AT_ONCE);
      expect(fleet.requests()).toBeLessThanOrEqual(alone.requests + PARTS_AT_ONCE);
      expect(await load(next, 'bob')).toMatchObject({ keys: alone.keys, adsb: { requests: 0 } });
    },
  );

  withFleet('a part that the writer stored before it died is answered from the store', async () => {
    await load(writer, 'bob');
    const next = await fleet.add();
    // The writer left it stored, and not answered.
    const wanted = new WantedParts(next.database, 'past');
    const row = await next.database.query.selectFrom('part').selectAll().limit(1).executeTakeFirstOrThrow();
    const { layer, west, south, east, north, start_ms, end_ms } = row;
    const place = { layer, west, south, east, north, start_ms, end_ms };
    await writer.kill();
    await wanted.want([{ id: 'left', ...place, operator: 'alice', role: 'operator', request_id: null }]);
    fleet.leaseTo(next);
    const answers = await eventually(async () => {
      const taken = await wanted.takeAnswers();
      expect(taken).not.toEqual([]);
      return taken;
    });
    expect(answers.map(({ outcome }) => JSON.parse(outcome))).toMatchObject([
      { kind: 'part', requests: 0, records: row.records },
    ]);
    expect(Buffer.from(answers[0]?.body ?? [])).toEqual(Buffer.from(row.body));
    expect(fleet.requests()).toBe(alone.requests);
  });

  withFleet('a reader becomes the writer amid its own load, which goes on', async () => {
    const events = reader.history.reader.load(historyQuery(), 'alice', new AbortController().signal);
    await loadParts(events, 3);
    await writer.kill();
    fleet.leaseTo(reader);
    expect((await rest(events)).at(-1)).toMatchObject(COMPLETE);
    expect(fleet.repeated()).toBeLessThanOrEqual(PARTS_AT_ONCE);
  });

  withFleet('leaving a load ends what the writer would request for it, unless another load wants it', async () => {
    const { service, client } = writer.history.live;
    service.setFault({ kind: 'hold' });
    const left = new AbortController();
    const events = reader.history.reader.load(historyQuery(), 'alice', left.signal);
    const ended = rest(events);
    // The first request is sent alone: the others wait for its answer.
    await eventually(() => expect(fleet.requests()).toBe(1));
    left.abort(new Error('the page was closed'));
    await expect(ended).rejects.toThrow('the page was closed');
    await eventually(async () => expect(await wantedRows()).toBe(0));
    service.clearFault();
    await eventually(() => expect(client.inFlight).toBe(0));
    await eventually(async () => expect(await keptParts()).toBe(1));
    expect(fleet.requests()).toBe(1);
    const { adsb } = await load(reader, 'bob');
    expect(adsb).toMatchObject({ complete: true });
    expect(fleet.repeated(), 'what was sent was read to its end').toBe(0);
  });

  withFleet('what a reader wanted that is gone is forgotten after seconds', async () => {
    writer.history.live.service.setFault({ kind: 'hold' });
    const gone = new WantedParts(reader.database, 'past');
    const query = historyQuery();
    const place = partColumns('adsb', {
      bbox: query.bbox,
      window: { start: HOUR.start, end: addMs(HOUR.start, 1000) },
    });
    await gone.want([{ id: 'gone', ...place, operator: 'alice', role: null, request_id: null }]);
    await eventually(() => expect(fleet.requests()).toBe(1));
    await eventually(async () => expect(await wantedRows()).toBe(0));
    expect(await gone.takeAnswers()).toEqual([]);
  });

  withFleet('without a writer a load says so, waits, and goes on with the next writer', async () => {
    await writer.kill();
    const events = reader.history.reader.load(historyQuery(), 'alice', new AbortController().signal);
    const ended = rest(events);
    await eventually(() => expect(epochMs(reader.history.live.now())).toBeGreaterThan(epochMs(START)));
    expect(fleet.requests()).toBe(0);
    fleet.leaseTo(await fleet.add());
    const all = await ended;
    expect(all.at(-1)).toMatchObject(COMPLETE);
    expect(pausesOf(all)).toEqual(new Set(['database_lost']));
    expect(fleet.requests()).toBe(alone.requests);
  });

  withFleet(
    'PostgreSQL is lost for seconds amid loads of the writer and a reader: both wait, and complete',
    async () => {
      const loads = [reader, writer].map(({ history }, index) => {
        const window = { start: addMs(HOUR.start, -index * HOUR_MS), end: addMs(HOUR.end, -index * HOUR_MS) };
        return history.reader.load(historyQuery({ window }), 'alice', new AbortController().signal);
      });
      await loadParts(loads[0]!, 3);
      cluster.stop();
      const ended = Promise.all(loads.map(rest));
      await eventually(() => expect(reader.database.failure).toMatchObject({ kind: 'lost' }));
      // After five seconds on its clock it gives up its parts.
      await eventually(() => expect(epochMs(reader.history.live.now())).toBeGreaterThan(epochMs(START)));
      cluster.start();
      for (const all of await ended) expect(all.at(-1)).toMatchObject(COMPLETE);
      expect(fleet.repeated()).toBeLessThanOrEqual(2 * PARTS_AT_ONCE);
    },
    () => {
      cluster = databases.newCluster();
      return cluster.target();
    },
  );

  withFleet(
    'three loads of an operator at three servers are not in one line, and each is moved from any server',
    async () => {
      const third = await fleet.add();
      const closed = new AbortController();
      const events = third.history.reader.load(historyQuery({ load: 'third' }), 'alice', closed.signal);
      await loadParts(events, 1);
      const from = addMs(HOUR.start, 30 * MINUTE_MS);
      expect(await writer.history.reader.seek('bob', 'third', from)).toBe(false);
      expect(await writer.history.reader.seek('alice', 'third', from)).toBe(true);
      closed.abort();
    },
  );
});
