import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addMs, epochMs } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { FaultSetting } from '../faults/fault.ts';
import type { ReceptionNow } from '../sources/observation.ts';
import { readFeedsFile } from './feeds/read-feeds-file.ts';
import { RequestCounts } from './feeds/request-counts.ts';
import { START } from './feeds/test-surroundings.fixture.ts';
import { AREA, startReadApiWorld } from './read-api-world.fixture.ts';
import { cellOf, UsualReach } from './stations/usual-reach.ts';

type Options = Parameters<typeof startReadApiWorld>[0];
const start = (options: Options = {}) => startReadApiWorld(options, onTestFinished);

describe('the records of another service', () => {
  test('are served with what it says of them, under references of this service', async () => {
    const { pass, live, past, other } = await start({ account: { layers: ['adsb', 'rid'] } });
    await pass(2);
    const [aircraft, drones] = [await live(), await live('rid')];
    expect(aircraft).toHaveLength(3);
    expect(aircraft).toContainEqual(
      expect.objectContaining({
        confidence: 'multi_station',
        confidence_score: 0.8,
        receiver_count: 5,
        emergency_state: 'general',
        simulated: false,
        test_broadcast: false,
        received_by: 'other',
      }),
    );
    expect(drones).toEqual([expect.objectContaining({ track_kind: 'drone', test_broadcast: true })]);
    for (const { public_track_id } of aircraft) expect(public_track_id).toMatch(/^LKT-A-[0-9A-F]{16}$/);
    await pass(40);
    const { data } = await past(40);
    expect(data.length).toBeGreaterThanOrEqual(9);
    expect(new Set(data.map((each: { public_track_id: string }) => each.public_track_id)).size).toBe(3);
    // Two targets every 10 s.
    expect(other.requests().length).toBe(10);
  });

  test('are simulated where it says so, each', async () => {
    const { pass, live } = await start({ sky: { aircraft: 2, change: { simulated: true } } });
    await pass(2);
    expect((await live()).map(({ simulated }) => simulated)).toEqual([true, true]);
  });

  test('are one mark each after its references have changed', async () => {
    const sky = { aircraft: 3, change: {} };
    const { pass, live, sky: seen } = await start({ sky });
    await pass(12);
    const before = (await live()).map(({ public_track_id }) => public_track_id);
    seen.change = { sourceId: 'another' };
    seen.aircraft = 1;
    // Until the next read, and no longer.
    for (let s = 0; s < 12; s += 1) {
      await pass(1);
      expect((await live()).length).toBeOneOf([1, 3]);
    }
    const after = (await live()).map(({ public_track_id }) => public_track_id);
    expect(after).toHaveLength(1);
    expect(before).not.toContain(after[0]);
  });

  test('that it has from a third service are not read, so that services may read each other', async () => {
    const { pass, live, feed } = await start({ sky: { aircraft: 3, change: { relayedBy: 'third' } } });
    await pass(2);
    expect(await live()).toEqual([]);
    expect(feed().refused).toEqual({ relayed: 3 });
  });

  test('are read page after page', async () => {
    const { pass, live, other } = await start({
      sky: { aircraft: 2200, change: {} },
      account: { areas: ['7,46,11,75'] },
    });
    await pass(1);
    expect(other.requests().map(({ query }) => new URLSearchParams(query).has('cursor'))).toEqual([false, true, true]);
    expect(await live('adsb', '7,46,11,50')).not.toEqual([]);
  });
});

test('a service that is this one itself is refused, and not read', async () => {
  const { pass, live, feed } = await start({ service: { referenceSecret: new Uint8Array(32).fill(7) } });
  await pass(10);
  expect(feed().problem).toBe('it is this service itself: leave it out');
  expect(await live()).toEqual([]);
});

describe('an account that fails', () => {
  const TAKEN_BACK = { aircraft: 3, change: {} };

  test('gets no request for the ten minutes of its Retry-After, and makes its area lost, and no other', async () => {
    const { pass, other, feed, reception } = await start({ sky: TAKEN_BACK });
    await pass(11);
    expect(await reception()).toMatchObject({ state: 'ok', receivers: 1 });
    other.setFault({ kind: 'status', status: 429, retry_after: '600' });
    await pass(20);
    other.clearRequests();
    expect(feed()).toMatchObject({
      state: 'lost',
      problem: 'its account has no requests left until 12:10Z (status 429)',
    });
    expect((await reception()).state).toBe('lost');
    // It delivers nothing there, so it is no receiver there.
    expect((await reception('adsb', '20,46,24,49')).state).toBe('none');
    other.clearFault();
    await pass(560);
    expect(other.requests()).toEqual([]);
    await pass(30);
    expect(other.requests().length).toBeGreaterThan(0);
    expect((await reception()).state).toBe('ok');
    expect(feed().problem).toBeNull();
  });

  test('is read again soon after its key file has the right key', async () => {
    const { pass, keyFile, feed, other, live } = await start();
    writeFileSync(keyFile, 'wrong-key');
    await pass(11);
    expect(feed()).toMatchObject({ state: 'lost', problem: 'its key is not accepted (status 401)' });
    writeFileSync(keyFile, other.apiKey);
    await pass(70);
    expect(feed().problem).toBeNull();
    expect(await live()).toHaveLength(3);
  });

  test('with one layer that is not approved, delivers the other', async () => {
    const { pass, live, feed, reception, other } = await start({ account: { layers: ['adsb', 'rid'] } });
    other.setFault({ kind: 'status', status: 403, operation: 'live_rid' });
    await pass(30);
    expect(feed()).toMatchObject({ state: 'silent', problem: 'its account may not read drones (status 403)' });
    expect(await live()).toHaveLength(3);
    expect([(await reception()).state, (await reception('rid')).state]).toEqual(['ok', 'lost']);
    other.clearRequests();
    await pass(60);
    expect(other.requests().filter(({ operation }) => operation === 'live_rid')).toEqual([]);
  });

  test.each<[string, FaultSetting, RegExp]>([
    ['errors', { kind: 'status', status: 500 }, /^it answers with an error \(status 500\)$/],
    ['a page of HTML', { kind: 'html' }, /^its answer is no page of the Read API$/],
    ['a page that is cut', { kind: 'cut_json' }, /^its answer is no page of the Read API$/],
    ['another layer', { kind: 'wrong_layer' }, /^its answer is no page of the Read API$/],
    ['a page without end', { kind: 'huge', bytes: 20_000_000 }, /^its page is longer than 4 MiB$/],
    ['pages without end', { kind: 'endless_cursor' }, /^its pages do not end$/],
    ['pages in circles', { kind: 'repeat_cursor' }, /^its pages do not end$/],
    ['a redirection', { kind: 'redirect', location: '/v1/live/adsb' }, /^it redirects/],
    ['a busy edge', { kind: 'status', status: 503, as: 'html' }, /^it is busy/],
    ['connections that end', { kind: 'reset' }, /./],
  ])('with %s gets ever fewer requests, says why, and is back when it answers', async (_, fault, problem) => {
    const { pass, other, feed, reception } = await start();
    await pass(11);
    other.setFault(fault);
    other.clearRequests();
    await pass(120);
    const tries = other.requests().length;
    // A try is fifty requests with endless pages, and two with pages in circles.
    expect(tries).toBeLessThan(fault.kind === 'endless_cursor' ? 500 : fault.kind === 'repeat_cursor' ? 28 : 14);
    expect(feed().problem).toMatch(problem);
    expect((await reception()).state).toBe('lost');
    other.clearFault();
    await pass(65);
    expect(feed().problem).toBeNull();
    expect((await reception()).state).toBe('ok');
  });

  test('with records that break the contract loses those alone', async () => {
    const { pass, other, feed, live } = await start();
    other.setFault({ kind: 'bad_record', count: 1 });
    await pass(25);
    expect(feed()).toMatchObject({ state: 'receiving', problem: null });
    expect(feed().refused.unreadable).toBeGreaterThan(0);
    expect((await live()).length).toBeGreaterThanOrEqual(2);
  });

  test('whose cursor has expired is read from its first page again', async () => {
    const { pass, other, feed } = await start({
      sky: { aircraft: 1200, change: {} },
      account: { areas: ['7,46,11,75'] },
    });
    await pass(1);
    other.clearRequests();
    other.setFault({ kind: 'cursor_refused', times: 2 });
    await pass(12);
    const cursors = other.requests().map(({ query }) => new URLSearchParams(query).has('cursor'));
    expect(cursors.slice(0, 4)).toEqual([false, true, false, true]);
    expect(feed().problem).toBeNull();
  });
});

describe('requests of a day', () => {
  test('last the day: pages that need more are read more rarely', async () => {
    const { pass, other, feed } = await start({
      sky: { aircraft: 2200, change: {} },
      account: { areas: ['7,46,11,75'], requests_a_day: 8640 },
    });
    await pass(120);
    // At noon, half a day is left for 8640 requests: three pages every 15 s.
    expect(other.requests().length).toBeLessThanOrEqual(27);
    expect(feed().problem).toMatch(/^it is read every 15 s in place of 10/);
    expect(feed().requests).toMatchObject({ needed: 8640, limit: 8640, used: other.requests().length });
  });

  test('end with what the account has left, until midnight', async () => {
    const { pass, other, feed } = await start();
    other.setFault({ kind: 'allowance', per_day: '0' });
    await pass(11);
    other.clearFault();
    const asked = other.requests().length;
    await pass(300);
    expect(other.requests().length).toBe(asked);
    expect(feed()).toMatchObject({
      state: 'lost',
      problem: 'its account has no requests left today: it goes on at 00:00Z',
    });
  });

  test('wait for the next minute when the minute has none left', async () => {
    const { pass, other, feed } = await start();
    other.setFault({ kind: 'allowance', per_minute: '0' });
    await pass(180);
    expect(other.requests().length).toBeLessThanOrEqual(5);
    expect(feed().state).not.toBe('lost');
  });

  test('are on disk before they are sent, and count again after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'request-counts-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'requests.json');
    const log = (entry: string) => {
      throw new Error(entry);
    };
    const killed = await RequestCounts.open(file, log);
    for (let sent = 0; sent < 25; sent += 1) await killed.spend('club', START);
    const again = await RequestCounts.open(file, log);
    expect(again.used('club', START)).toBe(25);
    expect(again.used('club', addMs(START, DAY_MS))).toBe(0);
    const { pass, feed, other } = await start({ requestsFile: file });
    await pass(2);
    expect(feed().requests).toMatchObject({ used: 25 + other.requests().length });
  });
});

describe('reception', () => {
  const reported = (reception: Partial<ReceptionNow>) => (): ReceptionNow => ({
    state: 'ok',
    since: START,
    receivers: 3,
    receiving: 3,
    ...reception,
  });

  test.each([
    ['ok', { state: 'ok', receivers: 3, receiving: 3 }],
    ['partly', { state: 'partly', receivers: 3, receiving: 2 }],
    ['lost', { state: 'lost', receivers: 3, receiving: 0 }],
    ['none', { state: 'none', receivers: 0, receiving: 0 }],
    ['partly', { state: 'partly', receivers: 3, receiving: 3, deaf: 1 }],
  ] as const)('that a neighbour reports as %s is passed on, also in the past', async (state, counts) => {
    const { pass, reception, past } = await start({
      sky: { aircraft: 3, change: {}, reception: reported(counts) },
    });
    await pass(20);
    expect(await reception()).toMatchObject(counts);
    const { stretches } = (await past(5)).reception;
    expect(stretches.map((each: { state: string }) => each.state)).toEqual([state]);
  });

  test('of a neighbour that reads services itself is that of its own receivers: two that read each other do not echo', async () => {
    const own: ReceptionNow = { state: 'ok', since: START, receivers: 2, receiving: 2 };
    const echoed = reported({ state: 'partly', receivers: 4, receiving: 3, own });
    const { pass, reception } = await start({ sky: { aircraft: 3, change: {}, reception: echoed }, hasRoof: true });
    await pass(20);
    expect(await reception()).toMatchObject({
      state: 'ok',
      receivers: 3,
      own: { state: 'ok', receivers: 1, receiving: 1 },
    });
    expect(await reception('rid')).not.toHaveProperty('own');
  });

  test('stays none where a neighbour that fails had no receiver before', async () => {
    const none = reported({ state: 'none', receivers: 0, receiving: 0 });
    const { pass, reception, other } = await start({ sky: { aircraft: 3, change: {}, reception: none } });
    await pass(11);
    other.setFault({ kind: 'status', status: 500 });
    await pass(30);
    expect((await reception()).state).toBe('none');
  });

  test('within the areas of an account that fails is partly, and outside that of the own receivers', async () => {
    const { pass, reception, other } = await start({ hasRoof: true });
    await pass(30);
    const elsewhere = '20,46,24,49';
    expect(await reception()).toMatchObject({ state: 'ok', receivers: 2 });
    expect(await reception('adsb', elsewhere)).toMatchObject({ state: 'ok', receivers: 1 });
    other.setFault({ kind: 'status', status: 500 });
    await pass(30);
    expect(await reception()).toMatchObject({ state: 'partly', receivers: 2, receiving: 1 });
    expect(await reception('adsb', elsewhere)).toMatchObject({ state: 'ok', receivers: 1 });
    const wide = await reception('adsb', '5,46,11,49');
    expect(wide.state).toBe('partly');
    expect(wide.places).toEqual([
      expect.objectContaining({ bbox: [7, 46, 11, 49], state: 'partly', receivers: 2, receiving: 1 }),
      expect.objectContaining({ bbox: [5, 46, 7, 49], state: 'ok', receivers: 1, receiving: 1 }),
    ]);
    expect(await reception()).not.toHaveProperty('places');
  });

  test('where the own receivers never heard anything is lost, and they do not count there', async () => {
    const usualReach = UsualReach.inMemory();
    for (let day = 4; day >= 1; day -= 1) {
      usualReach.moveTo(epochMs(START) - day * DAY_MS);
      usualReach.note('roof', cellOf(8.1, 46.6, 9000), 50, false);
    }
    usualReach.moveTo(epochMs(START));
    const { pass, reception, other, stopRoof } = await start({ hasRoof: true, usualReach });
    const beyond = '10.2,48,10.8,48.5';
    await pass(30);
    expect(await reception('adsb', beyond)).toMatchObject({ state: 'ok', receivers: 1 });
    other.setFault({ kind: 'status', status: 500 });
    await pass(30);
    expect(await reception('adsb', beyond)).toMatchObject({ state: 'lost', receivers: 1, receiving: 0 });
    expect(await reception('adsb', '8,46.5,8.2,46.7')).toMatchObject({ state: 'partly', receivers: 2, receiving: 1 });
    const { state, places = [] } = await reception();
    expect(state).toBe('partly');
    expect(places).toContainEqual(
      expect.objectContaining({ bbox: [7.5, 46, 8.75, 47.25], state: 'partly', receivers: 2 }),
    );
    expect(places.filter((place) => place.state === 'lost').length).toBe(places.length - 1);
    other.clearFault();
    await pass(60);
    stopRoof();
    await pass(60);
    expect(await reception('adsb', beyond)).toMatchObject({ state: 'ok', receivers: 1 });
    expect((await reception()).state).toBe('partly');
  });

  test('where a receiver that was moved hears now is its own, whatever it heard before', async () => {
    const usualReach = UsualReach.inMemory();
    for (let day = 4; day >= 1; day -= 1) {
      usualReach.moveTo(epochMs(START) - day * DAY_MS);
      usualReach.note('roof', cellOf(20, 40, 9000), 50, false);
    }
    usualReach.moveTo(epochMs(START));
    const { pass, reception } = await start({ hasRoof: true, usualReach });
    await pass(1);
    expect(await reception()).toMatchObject({ receivers: 1 });
    await pass(30);
    expect(await reception()).toMatchObject({ receivers: 2 });
  });
});

test('requests are counted in memory without a data directory', async () => {
  const { pass, feed, other } = await start({ hasCounts: false });
  await pass(25);
  expect(feed().requests).toMatchObject({ used: other.requests().length });
});

test('an aircraft that the own receivers have too becomes one mark, and says so', async () => {
  const { pass, live } = await start({ hasRoof: true });
  await pass(12);
  expect(await live()).toHaveLength(6);
  await pass(100);
  const marks = await live();
  expect(marks.map(({ received_by }) => received_by)).toEqual(['both', 'both', 'both']);
  expect(marks.map(({ receiver_count }) => receiver_count)).toEqual([1, 1, 1]);
});

describe('a feed of another service in a file of feeds', () => {
  const GIVEN = {
    id: 'club',
    url: 'read-api+https://club.example/v1',
    key_file: 'club-key',
    areas: [AREA],
    requests_a_day: 20_000,
  };
  const problems = (change: Readonly<Record<string, unknown>>) => {
    const read = readFeedsFile(JSON.stringify({ feeds: [{ ...GIVEN, ...change }] }));
    return read.ok ? [] : read.problems;
  };

  test('has both layers and ten seconds by default', () => {
    const read = readFeedsFile(JSON.stringify({ feeds: [GIVEN] }));
    expect(read.ok && read.feeds[0]!.readApi).toEqual({
      keyFile: 'club-key',
      layers: ['rid', 'adsb'],
      areas: [{ west: 7, south: 46, east: 11, north: 49 }],
      seconds: 10,
      requestsPerDay: 20_000,
    });
  });

  test.each<[Readonly<Record<string, unknown>>, string]>([
    [{ key_file: undefined }, 'feeds[0]: write key_file with read-api+https://'],
    [{ areas: undefined }, 'feeds[0]: write areas with read-api+https://'],
    [{ requests_a_day: undefined }, 'feeds[0]: write requests_a_day with read-api+https://'],
    [{ areas: ['1,2,3'] }, 'feeds[0].areas[0]: it must be four numbers: west,south,east,north'],
    [{ areas: ['170,40,-170,50'] }, 'feeds[0].areas[0]: it crosses 180°: write two areas'],
    [{ areas: ['-20,30,20,50'] }, 'feeds[0].areas[0]: it is wider or higher than 30°: write several areas'],
    [{ layers: ['adsb', 'adsb'] }, 'feeds[0].layers: write ["adsb"], ["rid"] or ["adsb","rid"]'],
    [{ seconds: 0 }, 'feeds[0].seconds: write the seconds between two reads, from 1 to 60'],
    [
      { requests_a_day: 5000 },
      'feeds[0].requests_a_day: its layers and areas every 10 s are 17280 requests a day, and 5000 are allowed: write "seconds": 35, or more requests',
    ],
    [
      { url: 'read-api+http://club.example/v1' },
      'feeds[0].url: write read-api+https://, or the key would cross the network in the clear, such as read-api+https://positions.example/v1',
    ],
    [
      { url: 'http://pi.local', areas: undefined, requests_a_day: undefined },
      'feeds[0].key_file: http:// does not use it: leave it out. It is for read-api+https://, read-api+http://',
    ],
  ])('%j is refused in words', (change, problem) => {
    expect(problems(change)).toContain(problem);
  });
});
