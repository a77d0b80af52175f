import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { eventually } from '#testing/eventually.ts';
import { type FleetHarness, type FleetMember, seenAt, startFleetHarness } from '#testing/fleet-harness.ts';
import { becomes, hasRedis, type RedisServer, startRedis } from '../redis/redis-server.fixture.ts';

/** The machine's own time, for what is under way between processes. */
const ARRIVES_MS = 30_000;

describe.skipIf(!hasRedis())('three servers over one Redis', () => {
  let redis: RedisServer;
  let fleet: FleetHarness;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());
  beforeEach(async () => {
    await redis.admin('FLUSHALL');
    fleet = await startFleetHarness({ redis });
    await fleet.beat();
  });
  afterEach(() => fleet.close());

  const asked = () => fleet.countOf('live_adsb');
  const planner = () => {
    const found = fleet.planner();
    if (!found) throw new Error('nobody plans');
    return found;
  };
  const followers = () => fleet.members.filter((member) => member !== planner()) as [FleetMember, FleetMember];
  const areas = ({ live }: FleetMember) => live.jobs.map(({ area: { key }, number }) => `${number} ${key}`).sort();
  /** Until what the planner told has arrived. */
  const agreed = (member: FleetMember) => expect.poll(() => areas(member)).toEqual(areas(planner()));
  const ZURICH = { west: 8, south: 47, east: 9, north: 48 };
  const VIENNA = { west: 16, south: 48, east: 17, north: 48.5 };

  test('one plans, and a place that is new at another one is there with the first answer', async () => {
    expect(fleet.members.map(({ live }) => live.isPlanner)).toEqual([true, false, false]);
    const [follower] = followers();
    const first = await seenAt(follower);
    expect(first).toMatchObject({ state: 'fresh', partial: false, reason: null });
    expect(first.records).toHaveLength(3);
    expect(asked()).toBe(1);
    expect((await seenAt(planner(), 'another')).records).toEqual(first.records);
    expect(asked()).toBe(1);
  });

  test('a thousand who open the same place at once cost one refresh, and all have it with the first answer', async () => {
    fleet.service.setFault({ kind: 'slow', delay_ms: 200 });
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => seenAt(fleet.members[index % 3] as FleetMember, `page-${index}`)),
    );
    expect(answers.filter(({ records }) => records.length === 3)).toHaveLength(1000);
    expect(asked()).toBe(1);
    await fleet.live(SECOND_MS);
    expect(planner().live.viewers).toBe(1000);
  });

  test('the viewers of all make one plan, which all know', async () => {
    const [one, other] = followers();
    await seenAt(planner(), 'a', ZURICH);
    await seenAt(one, 'b', ZURICH);
    await seenAt(other, 'c', VIENNA);
    await fleet.live(SECOND_MS);
    // Until what the planner told has arrived.
    await eventually(async () => {
      const statuses = await Promise.all(fleet.members.map(({ status }) => status.read()));
      expect(statuses.map(({ viewers }) => viewers)).toEqual([3, 3, 3]);
      expect(statuses[0]?.areas.map(({ layer, viewers }) => [layer, viewers])).toEqual([
        ['adsb', 2],
        ['adsb', 1],
      ]);
      // The pace changes all the time; followers hear of it with the next plan.
      const [first, ...rest] = statuses.map(({ pace_per_minute, ...status }) => ({
        ...status,
        isPaced: pace_per_minute !== null,
      }));
      expect(rest).toEqual([first, first]);
    }, ARRIVES_MS);
    expect(one.live.members).toEqual({
      planner: 'server-1',
      replicas: ['server-1', 'server-2', 'server-3'].map((name) => ({ name, viewers: 1 })),
    });
  });

  test('a page that goes on at another server counts once', async () => {
    const [one, other] = followers();
    await seenAt(one);
    fleet.pass(SECOND_MS);
    await seenAt(other);
    fleet.pass(SECOND_MS);
    await seenAt(planner());
    await fleet.live(SECOND_MS);
    expect(planner().live.viewers).toBe(1);
  });

  test('where one who plans is killed another one goes on within five seconds: with the same areas, and nothing early', async () => {
    const [one, other] = followers();
    await seenAt(one, 'a', ZURICH);
    await seenAt(other, 'b', VIENNA);
    await fleet.live(SECOND_MS);
    await agreed(one);
    const before = areas(one);
    const [first, second] = [asked(), planner()];
    second.kill();
    let seconds = 0;
    for (; !fleet.planner() && seconds < 10; seconds++) await fleet.live(SECOND_MS);
    expect(seconds).toBeLessThanOrEqual(4);
    expect(areas(planner())).toEqual(before);
    // Refreshed a second before the kill: due again five seconds after that, once each.
    await fleet.live((6 - seconds) * SECOND_MS);
    expect(asked()).toBe(first + 2);
    expect(areas(planner())).toEqual(before);
    await seenAt(one, 'a', ZURICH);
    expect(await seenAt(one, 'a', ZURICH)).toMatchObject({ state: 'fresh', reason: null });
  });

  test('one who leaves hands on at once', async () => {
    const [one] = followers();
    await seenAt(one);
    await fleet.live(SECOND_MS);
    await agreed(one);
    const [leaving, before] = [planner(), areas(one)];
    await leaving.live.close(1000);
    await expect.poll(() => fleet.planner()?.name).toMatch(/server-[23]/);
    await fleet.beat();
    expect(areas(planner())).toEqual(before);
    expect(asked()).toBe(1);
    expect(planner().live.members.replicas.map(({ name }) => name)).toEqual(['server-2', 'server-3']);
  });

  test('servers come and go, and the areas stay', async () => {
    const [one, other] = followers();
    await seenAt(one, 'a', ZURICH);
    await seenAt(other, 'b', VIENNA);
    await fleet.live(SECOND_MS);
    const before = areas(planner());
    const fourth = await fleet.join('server-4');
    await fleet.live(2 * SECOND_MS);
    await agreed(fourth);
    expect(areas(planner())).toEqual(before);
    other.kill();
    await fleet.live(10 * SECOND_MS);
    expect(areas(planner())).toEqual(before);
    // Its page polls elsewhere.
    await seenAt(fourth, 'b', VIENNA);
    await seenAt(one, 'a', ZURICH);
    await fleet.live(55 * SECOND_MS);
    expect(areas(planner())).toEqual(before);
    expect(planner().live.viewers).toBe(2);
  });

  test('the views of one that is gone are looked at for a minute at most', async () => {
    const [one] = followers();
    await seenAt(one);
    await fleet.live(SECOND_MS);
    one.kill();
    await fleet.live(MINUTE_MS);
    expect(planner().live.viewers).toBe(0);
    const before = asked();
    await fleet.live(10 * SECOND_MS);
    expect(asked()).toBe(before);
  });

  test('one that stood still for a minute and goes on writes nothing', async () => {
    const [one, other] = followers();
    const stopped = planner();
    await seenAt(one);
    await fleet.live(4 * SECOND_MS);
    // It stops in the middle of a refresh, of which the answer is there when it goes on.
    fleet.service.setFault({ kind: 'slow', delay_ms: 1000 });
    fleet.pass(2 * SECOND_MS);
    const begun = asked();
    await stopped.live.beat();
    await expect.poll(asked).toBe(begun + 1);
    fleet.service.clearFault();
    for (let second = 0; second < 60; second += 4) {
      await fleet.live(4 * SECOND_MS, [one, other]);
      await seenAt(one);
    }
    const newest = await seenAt(other);
    expect(newest).toMatchObject({ state: 'fresh', reason: null });
    const before = asked();
    const fence = await redis.admin('HGET', '{lookout:1}:plan', 'fence');
    await stopped.live.idle();
    await stopped.live.beat();
    await stopped.live.idle();
    expect(stopped.live.isPlanner).toBe(false);
    expect(asked()).toBe(before);
    expect(await redis.admin('HGET', '{lookout:1}:plan', 'fence')).toBe(fence);
    expect(await seenAt(other)).toEqual(newest);
    expect(await seenAt(stopped)).toEqual(newest);
  });

  test('where the one who plans is cut off, no area is refreshed twice in an interval, and it shows nothing as fresh that is not', async () => {
    const [one] = followers();
    const alone = planner();
    await seenAt(one, 'a');
    await seenAt(alone, 'b');
    await fleet.live(5 * SECOND_MS);
    const before = asked();
    alone.cut();
    const lost = becomes(alone.connection, 'lost');
    void alone.live.beat();
    await lost;
    const rest = fleet.members.filter((member) => member !== alone);
    for (let second = 0; second < 40; second += 5) {
      await fleet.live(5 * SECOND_MS, rest);
      await alone.live.beat();
      await seenAt(one, 'a');
    }
    // Forty seconds are eight intervals; the first of them ends as the successor begins.
    expect(asked() - before).toBeLessThanOrEqual(8);
    expect(asked() - before).toBeGreaterThanOrEqual(6);
    expect(await seenAt(alone, 'b')).toMatchObject({ state: 'stale', reason: 'shared_store_failed' });
    alone.heal();
    await becomes(alone.connection, 'reachable');
    await fleet.live(SECOND_MS);
    await agreed(alone);
    expect(await seenAt(alone, 'b')).toEqual(await seenAt(one, 'a'));
    expect(fleet.members.filter(({ live }) => live.isPlanner)).toHaveLength(1);
  });

  test('without the store nothing is asked and pictures age at all of them; with it all goes on within five seconds, without a burst', async () => {
    const [one] = followers();
    await seenAt(one);
    await fleet.live(SECOND_MS);
    const before = asked();
    const lost = fleet.members.map(({ connection }) => becomes(connection, 'lost'));
    redis.pause();
    void fleet.beat();
    await Promise.all(lost);
    await fleet.live(40 * SECOND_MS);
    expect(asked()).toBe(before);
    for (const member of fleet.members)
      expect(await seenAt(member)).toMatchObject({ state: 'stale', reason: 'shared_store_failed' });
    const unknown = await seenAt(one, 'a', VIENNA);
    expect(unknown).toMatchObject({ state: 'failed', reason: 'shared_store_failed' });
    redis.resume();
    await Promise.all(fleet.members.map(({ connection }) => becomes(connection, 'reachable')));
    await fleet.live(5 * SECOND_MS);
    // Zürich, and Vienna.
    expect(asked() - before).toBe(2);
    expect(await seenAt(one)).toMatchObject({ state: 'fresh', reason: null });
  });

  test('what an operator was told of new places, and has used for them, holds with the next planner', async () => {
    await fleet.close();
    await redis.admin('FLUSHALL');
    fleet = await startFleetHarness({ redis, allowance: { perMinute: 40, perDay: 20_000 } });
    await fleet.beat();
    const [one] = followers();
    const place = (index: number) => ({ west: -170 + 30 * (index % 10), south: -60 + 40 * Math.floor(index / 10) });
    const polls = () =>
      Promise.all(
        Array.from({ length: 30 }, (_, index) => {
          const { west, south } = place(index);
          return seenAt(one, `page-${index}`, { west, south, east: west + 1, north: south + 0.5 });
        }),
      );
    await polls();
    await planner().live.idle();
    await fleet.live(SECOND_MS);
    const before = await polls();
    const [askedBefore, announcedBefore] = [
      asked(),
      before.map(({ reason, until }) => (reason === 'waits_its_turn' ? until : null)),
    ];
    expect(announcedBefore.filter((until) => until !== null).length).toBeGreaterThan(5);
    planner().kill();
    for (let second = 0; second < 4; second++) await fleet.live(SECOND_MS);
    const after = await polls();
    const soon = epochMs(fleet.now()) + MINUTE_MS;
    const unchanged = announcedBefore.flatMap((until, index) => {
      const now = after[index];
      return until !== null && Date.parse(until) <= soon && now?.reason === 'waits_its_turn'
        ? [[until, now.until]]
        : [];
    });
    expect(unchanged.length).toBeGreaterThan(5);
    for (const [until, now] of unchanged) expect(now).toBe(until);
    // Those whose turn it was, and not as many at once as one may who has used nothing.
    expect(asked() - askedBefore).toBeLessThanOrEqual(2);
  });

  test('a flushed store changes neither the areas nor when they are due', async () => {
    const [one, other] = followers();
    await seenAt(one, 'a', ZURICH);
    await seenAt(other, 'b', VIENNA);
    await fleet.live(SECOND_MS);
    const [before, plan] = [asked(), areas(planner())];
    await redis.admin('FLUSHALL');
    await fleet.live(3 * SECOND_MS);
    expect(fleet.members.filter(({ live }) => live.isPlanner)).toHaveLength(1);
    expect(areas(planner())).toEqual(plan);
    expect(asked()).toBe(before);
    await fleet.live(5 * SECOND_MS);
    expect(asked()).toBe(before + 2);
  });

  test('a layer that an admin wants tried again at another server is asked at once', async () => {
    fleet.service.setFault({ kind: 'status', status: 403 });
    const [one] = followers();
    await seenAt(one);
    await expect.poll(async () => (await one.status.read()).layers.adsb.state).toBe('denied');
    const before = asked();
    fleet.service.clearFault();
    expect(one.status.recheck('adsb')).toBe(0);
    await expect.poll(asked).toBe(before + 1);
    await expect.poll(async () => (await one.status.read()).layers.adsb.state).toBe('ok');
  });

  test('a plan that cannot be read is set aside, and a new one is made', async () => {
    const [one] = followers();
    await seenAt(one);
    await fleet.live(SECOND_MS);
    for (const member of [...fleet.members]) member.kill();
    await redis.admin('HSET', '{lookout:1}:plan', 'text', '{"fence":1,"number":1,"at":1,"plan":{"jobs":7}}');
    fleet.pass(4 * SECOND_MS);
    const fresh = await fleet.join('server-4');
    await fleet.beat();
    expect(fresh.live.isPlanner).toBe(true);
    expect(await redis.admin('KEYS', '*unreadable:plan-*')).toHaveLength(1);
    expect(await seenAt(fresh)).toMatchObject({ state: 'fresh' });
  });
});
