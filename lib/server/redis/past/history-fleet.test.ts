import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMs } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { HistoryFleet, type Replica } from '#testing/history-fleet.ts';
import { HOUR, historyQuery, loadAll, startHistoryHarness, tracks } from '#testing/history-harness.ts';
import type { LoadEvent } from '../../history/history-load.ts';
import { becomes, hasRedis, type RedisServer, startRedis } from '../redis-server.fixture.ts';
import { TURN_MS } from './redis-parts.ts';

const OBSERVATIONS = tracks(40);

describe.skipIf(!hasRedis())('the past, loaded by several servers over one Redis', () => {
  let server: RedisServer;
  let fleet: HistoryFleet;
  let one: Replica;
  let other: Replica;
  /** Of one server alone. */
  let alone: number;
  beforeAll(async () => {
    server = await startRedis();
    const history = await startHistoryHarness(OBSERVATIONS);
    await loadAll(history.reader);
    alone = history.requests();
    await history.live.close();
  });
  afterAll(() => server.remove());
  beforeEach(async () => {
    await server.admin('CONFIG', 'SET', 'maxmemory', '0');
    await server.admin('FLUSHALL');
    fleet = new HistoryFleet(server, OBSERVATIONS);
    one = await fleet.add();
    other = await fleet.add();
  });
  afterEach(() => fleet.close());

  const load = ({ history }: Replica, operator: string) => loadAll(history.reader, historyQuery(), operator);
  const isPart = (event: LoadEvent | undefined) => event?.kind === 'part';

  test('an hour that two open at the same time at two servers is asked once', async () => {
    const [alice, bob] = await Promise.all([load(one, 'alice'), load(other, 'bob')]);
    expect(alice.adsb).toMatchObject({ complete: true, records: OBSERVATIONS.length });
    expect(bob.keys).toEqual(alice.keys);
    expect((alice.adsb?.requests ?? 0) + (bob.adsb?.requests ?? 0)).toBe(fleet.requests());
    expect(fleet.requests()).toBe(alone);
  });

  test('what one server loaded costs nothing at another, as quoted; without the store it still replays there', async () => {
    const first = await load(one, 'alice');
    const asked = fleet.requests();
    expect((await other.history.reader.cost(historyQuery(), 'bob')).middle.expected).toBe(0);
    const second = await load(other, 'bob');
    expect(second.adsb).toMatchObject({ complete: true, requests: 0 });
    expect(second.keys).toEqual(first.keys);
    await server.admin('FLUSHALL');
    server.pause();
    expect((await load(other, 'bob')).adsb).toMatchObject({ complete: true, requests: 0 });
    server.resume();
    await Promise.all([one, other].map(({ connection }) => becomes(connection, 'reachable')));
    expect(fleet.requests()).toBe(asked);
  });

  test('a server is killed amid a load: asked again at another, only what was under way costs anything again', async () => {
    const events = one.history.reader.load(historyQuery(), 'alice', new AbortController().signal);
    let parts = 0;
    while (parts < 6) if (isPart((await events.next()).value as LoadEvent)) parts++;
    // What it asks for from now on arrives at the service, and is never answered.
    one.history.live.service.setFault({ kind: 'silent' });
    const before = fleet.requests();
    const goesOn = (async () => {
      while (!(await events.next()).done);
    })();
    await expect.poll(() => fleet.requests()).toBeGreaterThan(before);
    one.connection.close();
    one.history.live.service.clearFault();
    const underWay = fleet.requests() - parts;
    expect(underWay).toBeGreaterThanOrEqual(1);
    const again = load(other, 'alice');
    fleet.pass(TURN_MS);
    await goesOn;
    expect((await again).adsb).toMatchObject({ complete: true, records: OBSERVATIONS.length });
    expect((await again).adsb?.requests).toBe(fleet.requests() - parts - underWay);
    expect(fleet.requests()).toBeLessThanOrEqual(alone + underWay);
  });

  test('without the store a load stops with the reason, and asks for nothing', async () => {
    const events = one.history.reader.load(historyQuery(), 'alice', new AbortController().signal);
    for (let parts = 0; parts < 3; ) if (isPart((await events.next()).value as LoadEvent)) parts++;
    server.pause();
    let last: LoadEvent | undefined;
    for await (const event of events) last = event;
    const asked = fleet.requests();
    const reasons = last?.kind === 'line' && last.line.type === 'end' ? last.line.layers.adsb?.gaps : [];
    expect(new Set(reasons?.map(({ reason }) => reason))).toEqual(new Set(['shared_store_failed']));
    const elsewhere = await load(other, 'bob');
    expect(new Set(elsewhere.adsb?.gaps.map(({ reason }) => reason))).toEqual(new Set(['shared_store_failed']));
    expect(fleet.requests()).toBe(asked);
    server.resume();
    await Promise.all([one, other].map(({ connection }) => becomes(connection, 'reachable')));
    fleet.pass(1000);
    expect((await load(other, 'bob')).adsb).toMatchObject({ complete: true });
    expect(fleet.requests()).toBeLessThanOrEqual(alone + 2);
  });

  test('a flush amid a load ends nothing, and costs no more', async () => {
    const events = one.history.reader.load(historyQuery(), 'alice', new AbortController().signal);
    for (let parts = 0; parts < 3; ) if (isPart((await events.next()).value as LoadEvent)) parts++;
    await server.admin('FLUSHALL');
    let last: LoadEvent | undefined;
    for await (const event of events) last = event;
    expect(last).toMatchObject({ line: { type: 'end', layers: { adsb: { complete: true } } } });
    expect(fleet.requests()).toBe(alone);
  });

  test('three loads of one operator at three servers: two run, one is told that it is first in line, and goes where its page looks', async () => {
    const third = await fleet.add();
    const closed = new AbortController();
    const begin = ({ history }: Replica, name: string, hoursAgo: number) => {
      const window = { start: addMs(HOUR.start, -hoursAgo * HOUR_MS), end: addMs(HOUR.end, -hoursAgo * HOUR_MS) };
      return history.reader.load(historyQuery({ window, load: name }), 'alice', closed.signal);
    };
    const loads = [begin(one, 'first', 1), begin(other, 'second', 2)];
    for (const load of loads) expect((await load.next()).value).toMatchObject({ line: { type: 'progress' } });
    const waiting = begin(third, 'third', 0);
    expect((await waiting.next()).value).toEqual({ kind: 'line', line: { type: 'queued', place: 1, running: 2 } });
    expect(fleet.requests(), 'a place in line costs nothing').toBe(0);
    const from = addMs(HOUR.start, 30 * MINUTE_MS);
    expect(await one.history.reader.seek('bob', 'third', from)).toBe(false);
    expect(await one.history.reader.seek('alice', 'third', from)).toBe(true);
    const end = loads[0]?.return(undefined);
    await end;
    const begun: LoadEvent[] = [];
    for await (const event of waiting) begun.push(event);
    expect(begun.at(-1)).toMatchObject({ line: { type: 'end', layers: { adsb: { complete: true } } } });
    expect(begun.find(isPart)).toMatchObject({ part: { window: { start: from } } });
    closed.abort();
  });
});
