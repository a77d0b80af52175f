import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '#testing/eventually.ts';
import { keyDigest } from '../accounts/issue-key.ts';
import { type Cluster, postgresPrograms, startCluster } from '../postgres/postgres-cluster.fixture.ts';
import { type MovingAircraftOptions, startMovingAircraft } from '../receivers/moving-aircraft.fixture.ts';
import type { ReceiversStatus } from '../receivers/receivers-status.ts';
import { readStatus } from '../receivers/status-socket.ts';
import { runFeedsCommand } from './run-feeds-command.ts';
import { askHistory, askService, SharedServices } from './shared-services.fixture.ts';

const programs = postgresPrograms();
const TIMEOUT_MS = 180_000;
/** A machine that others share can be many times slower. */
const AIRCRAFT = 6;

/** A row that a station pushes. */
const drone = (observedMs: number) => ({
  serial_number: '1581F5BKD2290000TEST',
  observed_at: new Date(observedMs).toISOString(),
  longitude: 8,
  latitude: 47,
});

describe.skipIf(programs === undefined)('stations at several services', { timeout: TIMEOUT_MS }, () => {
  let cluster: Cluster;
  let services: SharedServices;
  let receivers: Awaited<ReturnType<typeof startMovingAircraft>>[];
  beforeAll(() => {
    cluster = startCluster(programs as string);
  }, TIMEOUT_MS);
  afterAll(() => cluster?.remove());
  beforeEach(() => {
    services = new SharedServices(cluster);
    receivers = [];
  });
  afterEach(async () => {
    services.remove();
    for (const receiver of receivers) await receiver.close();
  });

  async function startReceiver(options: MovingAircraftOptions = {}): Promise<string> {
    const receiver = await startMovingAircraft({ count: AIRCRAFT, ...options });
    receivers.push(receiver);
    return receiver.url;
  }

  const live = (url: string, key: string, layer = 'adsb') => askService(url, key, `/live/${layer}?bbox=7,46,19,50`);

  /** Awaits aircraft that so many stations hear, all of them. */
  const allHeardBy = (url: string, key: string, stations: number) =>
    eventually(async () => {
      const { status, data } = await live(url, key);
      expect([status, data?.map(({ receiver_count }) => receiver_count)]).toEqual([
        200,
        Array(AIRCRAFT).fill(stations),
      ]);
      return data;
    });

  const allSeenAfter = (url: string, key: string, ms: number) =>
    eventually(async () => {
      const { data } = await live(url, key);
      expect(data).toHaveLength(AIRCRAFT);
      for (const { observed_at } of data) expect(Date.parse(observed_at)).toBeGreaterThan(ms);
    });

  const statusOf = async (machine: string) => (await readStatus(services.dataOf(machine))) as ReceiversStatus;

  /** No position is there twice, and no track is at one place twice. */
  function expectEachOnce(past: Awaited<ReturnType<typeof askHistory>>): void {
    for (const same of ['observed_at', 'longitude'] as const) {
      const places = past.map((position) => `${position.public_track_id} ${position[same]}`);
      expect(new Set(places).size).toBe(places.length);
    }
  }

  test('they are fused as if they were at one; one that two services read counts once', async () => {
    const key = await services.makeKey();
    const [roof, hill] = [await startReceiver(), await startReceiver({ clockErrorMs: 3000 })];
    const began = Date.now();
    const one = services.serve('one', '--receivers', roof);
    const oneUrl = (await one.ready).base_url;
    await allHeardBy(oneUrl, key, 1);
    const two = services.serve('two', '--receivers', `${hill},${roof}`);
    const twoUrl = (await two.ready).base_url;
    for (const url of [oneUrl, twoUrl]) {
      const data = await allHeardBy(url, key, 2);
      expect(new Set(data.map(({ confidence }) => confidence))).toEqual(new Set(['multi_station']));
    }
    // A second position of each, however fast all of this was.
    await allSeenAfter(twoUrl, key, Date.now());
    const until = Date.now();
    await allSeenAfter(twoUrl, key, until + 3000);
    const past = await askHistory(twoUrl, key, began, until);
    expectEachOnce(past);
    expect(past.length).toBeGreaterThan(AIRCRAFT);
    expect(await askHistory(oneUrl, key, began, until)).toEqual(past);

    const [ofOne, ofTwo] = [await statusOf('one'), await statusOf('two')];
    expect([ofOne.recorder, ofTwo.recorder]).toEqual(['here', 'another']);
    expect(ofTwo.feeds).toHaveLength(2);
    const reported = await runFeedsCommand(['--data', services.dataOf('two')]);
    expect(reported).toMatchObject({ ok: true, output: expect.stringContaining('Another service records') });
    // Its clock is known where it is read, and told where it is fused.
    const [ofHill] = ofTwo.feeds;
    for (const { clock_error_ms } of [ofHill!, ofOne.feeds.find(({ id }) => id.startsWith(`${ofHill!.id} @ `))!]) {
      expect(Math.abs((clock_error_ms as number) - 3000)).toBeLessThan(500);
    }
    expect(ofOne.feeds.map(({ state }) => state)).toEqual(['receiving', 'receiving', 'receiving']);
    expect(ofOne.feeds.filter(({ id }) => id.includes(' @ ')).every(({ url }) => url.startsWith('read by'))).toBe(true);
  });

  /** A feed, and a station that pushes. */
  async function writeFeeds() {
    const stationKey = randomBytes(32).toString('base64url');
    const digest = Buffer.from(keyDigest(stationKey)).toString('hex');
    const file = join(services.folder, 'feeds.json');
    const feeds = [
      { id: 'roof', url: await startReceiver() },
      { id: 'valley', url: 'push://valley', key_sha256: digest },
    ];
    writeFileSync(file, JSON.stringify({ feeds }));
    /** @returns the status of the answer, 0 if there is none */
    const post = (url: string, row: object) =>
      fetch(url, {
        method: 'POST',
        body: JSON.stringify([row]),
        headers: { authorization: `Bearer ${stationKey}` },
      }).then(
        (answer) => answer.status,
        () => 0,
      );
    return { file, post };
  }

  test('while the one that records hangs, nothing is acknowledged, and what nobody records is dropped and counted', async () => {
    const key = await services.makeKey();
    const { file, post } = await writeFeeds();
    const one = services.serve('one', '--feeds', file, '--push-port', '0');
    await one.ready;
    const two = services.serve('two', '--feeds', file, '--push-port', '0');
    const { base_url: url, push_url: pushUrl } = await two.ready;
    await allHeardBy(url, key, 1);
    expect(await post(pushUrl, drone(Date.now()))).toBe(200);
    one.child.kill('SIGSTOP');
    try {
      // As if ten seconds had gone by, and then half a minute.
      cluster.sql('update lookout.past set heartbeat_at = heartbeat_at - 10000', services.target.database);
      await eventually(async () => expect(await post(pushUrl, drone(Date.now()))).toBe(503));
      expect((await statusOf('two')).recorder).toBe('nobody');
      const rows = () => Number(cluster.sql('select count(*) from lookout.fix_inbox', services.target.database));
      await eventually(() => expect(rows()).toBeGreaterThan(5));
      cluster.sql('update lookout.fix_inbox set at = at - 30000', services.target.database);
      await eventually(async () => {
        const { past } = await statusOf('two');
        expect(past?.dropped).toMatchObject({ unfused: expect.any(Number) });
      });
    } finally {
      one.child.kill('SIGCONT');
    }
    await allSeenAfter(url, key, Date.now());
    expect(await post(pushUrl, drone(Date.now()))).toBe(200);
  });

  test('when the one that records is killed, nothing that was pushed is lost, no position is there twice, and the feeds go on', async () => {
    const key = await services.makeKey();
    const { file, post } = await writeFeeds();
    let running: { machine: string; child: ChildProcess; base_url: string; push_url: string }[] = [];
    for (const machine of ['one', 'two', 'three']) {
      const { child, ready } = services.serve(machine, '--feeds', file, '--push-port', '0');
      running.push({ machine, child, ...(await ready) });
    }
    const began = Date.now();
    await allHeardBy(running[2]!.base_url, key, 1);

    /** Times at which drones were seen that a service has taken, by the drone. */
    const taken = new Map<number, Set<number>>();
    let isPushing = true;
    let rounds = 0;
    /** Of a drone of its own; a row that was not taken is sent again, to another service, until it is too old. */
    async function push(drone: number): Promise<void> {
      const times = new Set<number>();
      taken.set(drone, times);
      for (let turn = drone; isPushing; turn += 1) {
        const observedMs = Date.now();
        const row = {
          serial_number: `1581F5BKD229000${drone}TEST`,
          observed_at: new Date(observedMs).toISOString(),
          // Two metres on each time: at one place twice within two seconds, it would be the same position.
          longitude: 8 + turn * 3e-5,
          latitude: 47 + drone / 10,
        };
        for (let attempt = turn; Date.now() - observedMs < 20_000; attempt += 1) {
          const { push_url } = running[attempt % running.length]!;
          const status = await post(push_url, row);
          if (status === 200) times.add(observedMs);
          if (status === 200) break;
        }
        rounds += 1;
      }
    }
    const pushing = [0, 1, 2].map(push);
    const onward = (count: number) => {
      const from = rounds;
      return eventually(() => expect(rounds).toBeGreaterThan(from + count));
    };
    for (let kills = 0; kills < 2; kills += 1) {
      await onward(15);
      const recorder = await eventually(async () => {
        const states = await Promise.all(running.map(({ machine }) => statusOf(machine)));
        const found = running[states.findIndex((state) => state.recorder === 'here')];
        expect(found).toBeDefined();
        return found!;
      });
      recorder.child.kill('SIGKILL');
      running = running.filter((each) => each !== recorder);
    }
    await onward(15);
    isPushing = false;
    await Promise.all(pushing);
    const ended = Date.now();
    const url = running[0]!.base_url;
    const expected = [...taken.values()].reduce((sum, { size }) => sum + size, 0);
    expect(expected).toBeGreaterThan(40);
    const drones = await eventually(async () => {
      const past = await askHistory(url, key, began, ended, 'rid');
      expect(past.length).toBeGreaterThanOrEqual(expected);
      return past;
    });
    expectEachOnce(drones);
    const times = Map.groupBy(drones, ({ latitude }) => Math.round((latitude - 47) * 10));
    const lost = [...taken].flatMap(([drone, pushed]) => {
      const recorded = new Set(times.get(drone)!.map(({ observed_at }) => Date.parse(observed_at)));
      return [...pushed].filter((each) => !recorded.has(each));
    });
    // A machine may be so busy that no service records within the inbox's limit: such positions are counted as dropped.
    const states = await Promise.all(running.map(({ machine }) => statusOf(machine)));
    const counted = states.flatMap(({ past }) => Object.values(past?.dropped ?? {}));
    expect(lost.length).toBeLessThanOrEqual(Math.max(0, ...counted));
    // Of the feed too each position is there once, and none is missing for longer than a poll or two.
    await allHeardBy(url, key, 1);
    const aircraft = await askHistory(url, key, began, Date.now());
    expectEachOnce(aircraft);
    for (const track of Map.groupBy(aircraft, ({ latitude }) => latitude).values()) {
      const seen = track.map(({ observed_at }) => Date.parse(observed_at));
      const gaps = seen.slice(1).map((each, index) => each - seen[index]!);
      expect(Math.max(...gaps)).toBeLessThan(5000);
    }
  });

  test('while the database is away nothing is acknowledged; when it is back, what was heard meanwhile is recorded', async () => {
    const key = await services.makeKey();
    const { file, post } = await writeFeeds();
    const one = services.serve('one', '--feeds', file, '--push-port', '0');
    const { base_url: url, push_url: pushUrl } = await one.ready;
    const began = Date.now();
    await allHeardBy(url, key, 1);
    cluster.stop();
    const away = Date.now();
    const pushed = { ...drone(away), longitude: 8.5 };
    expect(await post(pushUrl, pushed)).toBe(503);
    cluster.start();
    const back = Date.now();
    // It may have been sent meanwhile, and is the same position.
    await eventually(async () => expect(await post(pushUrl, pushed)).toBe(200));
    await allSeenAfter(url, key, back + 1000);
    await eventually(async () => {
      const drones = await askHistory(url, key, began, Date.now(), 'rid');
      expect(drones.map(({ observed_at }) => Date.parse(observed_at))).toEqual([away]);
    });
    const past = await askHistory(url, key, began, Date.now());
    expectEachOnce(past);
    for (const track of Map.groupBy(past, ({ latitude }) => latitude).values()) {
      const during = track.map(({ observed_at }) => Date.parse(observed_at)).filter((at) => at > away && at < back);
      expect(during.length).toBeGreaterThan(2);
    }
  });
});
