import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMs, epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { openPostgres } from '../../postgres/open-postgres.ts';
import type { Postgres } from '../../postgres/postgres.ts';
import { type Cluster, postgresPrograms, startCluster } from '../../postgres/postgres-cluster.fixture.ts';
import { requireSameClock } from '../../postgres/same-clock.ts';
import type { Observation } from '../../sources/observation.ts';
import { writeFrame } from '../frame.ts';
import { START, seen } from '../past-suite.fixture.ts';
import { PERIOD_MS } from '../period.ts';
import { Rows } from '../rows.ts';
import { storeObservation } from '../stored-observation.ts';
import { DatabasePlace } from './database-place.fixture.ts';
import { PostgresPast, type PostgresPastOptions } from './postgres-past.ts';
import { SharedContents } from './shared-contents.ts';

const programs = postgresPrograms();
const WORLD = { west: -180, south: -90, east: 180, north: 90 };
const HOUR = { start: START, end: addMs(START, HOUR_MS) };
const never = () => expect.fail('nobody else records');

describe.skipIf(programs === undefined)('services that share a past in PostgreSQL', () => {
  let cluster: Cluster;
  let postgres: Postgres;
  let now: UpstreamInstant;
  let said: string[];
  let opened: PostgresPast[];
  beforeAll(async () => {
    cluster = startCluster(programs as string);
    postgres = await openPostgres(cluster.target(), { makes: true, log: () => undefined });
  });
  afterAll(async () => {
    await postgres?.close();
    cluster?.remove();
  });
  beforeEach(async () => {
    await DatabasePlace.emptied(postgres);
    now = addMs(START, PERIOD_MS);
    said = [];
    opened = [];
  });
  afterEach(async () => {
    for (const past of opened) await past.close();
  });

  async function open(options: Partial<PostgresPastOptions> = {}): Promise<PostgresPast> {
    const past = await PostgresPast.open({ postgres, now: () => now, log: (entry) => said.push(entry), ...options });
    opened.push(past);
    return past;
  }

  async function openRecording(options: Partial<PostgresPastOptions> = {}): Promise<PostgresPast> {
    const past = await open(options);
    expect(await past.record(never)).toBe(true);
    return past;
  }

  async function write(past: PostgresPast, ...observations: readonly Observation[]): Promise<void> {
    past.append(observations);
    await past.flush();
  }

  const answer = (past: PostgresPast, layer: 'adsb' | 'rid' = 'adsb') => past.history(layer, WORLD, HOUR, 1000);
  const whole = (...observations: readonly Observation[]) => ({ observations, more: false, isWhole: true });

  async function sealAll(past: PostgresPast): Promise<void> {
    now = addMs(START, 2 * PERIOD_MS);
    await past.maintain();
  }

  /** Ends the connection that records, as a network or an administrator does. */
  async function endRecordersConnection(): Promise<void> {
    const ended = await postgres.query<{ ended: boolean }>(
      "select pg_terminate_backend(pid, 5000) as ended from pg_locks where locktype = 'advisory' and granted",
    );
    expect(ended).toEqual([{ ended: true }]);
  }

  test('one records at a time, and every other one answers the same, at each moment', async () => {
    const [one, other] = [await openRecording(), await open()];
    expect(await other.record(never)).toBe(false);
    for (const offsetMs of [1000, 2000, 3000]) {
      await write(one, seen(1, offsetMs), seen(2, offsetMs, { layer: 'rid' }));
      expect(await answer(other)).toEqual(await answer(one));
    }
    expect((await answer(other)).observations).toHaveLength(3);
    await sealAll(one);
    const late = await open();
    for (const past of [other, late]) {
      expect(await answer(past)).toEqual(whole(seen(1, 1000), seen(1, 2000), seen(1, 3000)));
      expect(await answer(past, 'rid')).toEqual(await answer(one, 'rid'));
      const [state, ofRecorder] = [past.state(), one.state()];
      expect([state.bytes, state.segments, past.oldestAt()]).toEqual([ofRecorder.bytes, 2, addMs(START, 1000)]);
    }
    // What does not record drops what it is given.
    await write(other, seen(3, 300_001));
    expect((await answer(one)).observations).toHaveLength(3);
    expect(said).toEqual([]);
  });

  test('whoever waits records as soon as the first one ends, after all that it has written', async () => {
    const [one, other] = [await openRecording(), await open()];
    await write(one, seen(1, 1000));
    one.append([seen(1, 2000)]);
    await one.close();
    expect(await other.record(never)).toBe(true);
    await write(other, seen(1, 3000));
    expect(await answer(other)).toEqual(whole(seen(1, 1000), seen(1, 2000), seen(1, 3000)));
    await sealAll(other);
    expect(await answer(await open())).toEqual(whole(seen(1, 1000), seen(1, 2000), seen(1, 3000)));
  });

  test('one that loses its connection goes on by itself; nothing is there twice', async () => {
    const one = await openRecording();
    await write(one, seen(1, 1000));
    await endRecordersConnection();
    await write(one, seen(1, 2000));
    await write(one, seen(1, 3000));
    // What was under way when it was noticed is not written, and counted.
    const { dropped, problem } = one.state();
    expect(problem).toBeUndefined();
    const left = (await answer(one)).observations;
    expect(left.length + dropped.unwritten).toBe(3);
    expect(left).toContainEqual(seen(1, 3000));
    expect(await answer(await open())).toEqual(await answer(one));
    await sealAll(one);
    expect((await answer(await open())).observations).toEqual(left);
  });

  test('one that another has taken over from writes nothing more, and says so', async () => {
    const reported: string[] = [];
    const [one, other] = [await open(), await open()];
    await one.record(() => reported.push('lost'));
    await write(one, seen(1, 1000));
    await endRecordersConnection();
    await expect.poll(() => other.record(never)).toBe(true);
    await write(other, seen(1, 2000));
    await write(one, seen(1, 2001));
    await expect.poll(() => reported).toEqual(['lost']);
    expect(one.isRecording).toBe(false);
    await write(one, seen(1, 2002));
    // A station that pushed it is told that it is not recorded.
    expect(one.state().dropped.unwritten).toBe(2);
    for (const past of [one, other]) expect(await answer(past)).toEqual(whole(seen(1, 1000), seen(1, 2000)));
    // It may be the next one again.
    await other.close();
    expect(await one.record(never)).toBe(true);
    await write(one, seen(1, 3000));
    expect(await answer(one)).toEqual(whole(seen(1, 1000), seen(1, 2000), seen(1, 3000)));
  });

  test('one that comes back after another has recorded and ended writes nothing of before', async () => {
    const reported: string[] = [];
    const [one, other] = [await open(), await open()];
    await one.record(() => reported.push('lost'));
    await write(one, seen(1, 1000));
    await endRecordersConnection();
    await expect.poll(() => other.record(never)).toBe(true);
    await write(other, seen(1, 2000));
    await other.close();
    await write(one, seen(1, 1999));
    await expect.poll(() => reported).toEqual(['lost']);
    expect(await answer(one)).toEqual(whole(seen(1, 1000), seen(1, 2000)));
    expect(await one.record(never)).toBe(true);
    await write(one, seen(1, 3000));
    expect(await answer(await open())).toEqual(whole(seen(1, 1000), seen(1, 2000), seen(1, 3000)));
  });

  test('what the database has taken without being able to say so is known to who goes on, and sealed', async () => {
    const one = await openRecording();
    await write(one, seen(1, 1000));
    const rows = new Rows();
    storeObservation(rows, seen(1, 1500));
    const frame = await writeFrame({ period: { layer: 'adsb', start: START }, rows });
    await endRecordersConnection();
    const values = ['adsb', epochMs(START), frame];
    await postgres.query('insert into lookout.past_frame (layer, start, bytes) values ($1, $2, $3)', values);
    await one.maintain();
    await write(one, seen(1, 2000));
    const { unwritten } = one.state().dropped;
    expect(unwritten).toBe(0);
    expect(await answer(one)).toEqual(whole(seen(1, 1000), seen(1, 1500), seen(1, 2000)));
    await sealAll(one);
    expect(await answer(await open())).toEqual(whole(seen(1, 1000), seen(1, 1500), seen(1, 2000)));
  });

  test('what is deleted while it is read is not damaged', async () => {
    const [one, other] = [await openRecording(), await open()];
    await write(one, seen(1, 1000));
    await sealAll(one);
    const deleting = await postgres.openSession();
    const answered = await deleting.within(async (query) => {
      await query('lock table lookout.past_day_20261123 in access exclusive mode');
      const answered = answer(other);
      await expect
        .poll(() =>
          query("select 1 from pg_locks where relation = 'lookout.past_day_20261123'::regclass and not granted"),
        )
        .toHaveLength(1);
      await query('delete from lookout.past_day_20261123');
      await query('delete from lookout.past_segment');
      await query('update lookout.past set kept_since = $1', [epochMs(addMs(START, PERIOD_MS))]);
      return { answered };
    });
    expect(await answered.answered).toEqual({ observations: [], more: false, isWhole: false });
    await deleting.close();
    expect(other.state().damagedSegments).toBe(0);
    expect(said).toEqual([]);
  });

  test('however much of the past is read, and however slowly, keys can be checked', async () => {
    const [one, other] = [await openRecording(), await open({ cacheBytes: 0 })];
    await write(one, seen(1, 1000));
    await sealAll(one);
    const slow = await postgres.openSession();
    const { answers } = await slow.within(async (query) => {
      await query('lock table lookout.past_day_20261123 in access exclusive mode');
      const answers = Promise.all(Array.from({ length: 30 }, () => answer(other)));
      await expect
        .poll(() =>
          query("select 1 from pg_locks where relation = 'lookout.past_day_20261123'::regclass and not granted"),
        )
        .toHaveLength(4);
      expect(await postgres.query('select 1 as one')).toEqual([{ one: 1 }]);
      return { answers };
    });
    for (const each of await answers) expect(each).toEqual(whole(seen(1, 1000)));
    await slow.close();
  });

  test('a sealing that is cut off has not happened, and is done by who records then', async () => {
    const one = await openRecording();
    await write(one, seen(1, 1000), seen(2, 1000, { layer: 'rid' }));
    const blocking = await postgres.openSession();
    const isBlocked = new Promise<void>((done, failed) => {
      void blocking
        .within(async (query) => {
          await query('lock table lookout.past_segment in exclusive mode');
          const sealing = sealAll(one);
          await expect
            .poll(() =>
              query("select 1 from pg_locks where relation = 'lookout.past_segment'::regclass and not granted"),
            )
            .toHaveLength(1);
          await endRecordersConnection();
          await sealing;
        })
        .then(done, failed);
    });
    await isBlocked;
    await blocking.close();
    expect(one.state()).toMatchObject({ segments: 0, problem: { cause: 'database_lost' } });
    expect(await answer(one)).toEqual(whole(seen(1, 1000)));
    const other = await open();
    expect(await answer(other)).toEqual(whole(seen(1, 1000)));
    await one.close();
    await other.record(never);
    await other.maintain();
    expect(other.state()).toMatchObject({ segments: 2, problem: undefined });
    expect(await answer(other)).toEqual(whole(seen(1, 1000)));
    expect(await postgres.query('select from lookout.past_frame')).toEqual([]);
  });

  test('while the database is lost the one that records says so, and the others answer nothing', async () => {
    const [one, other] = [await openRecording(), await open()];
    await write(one, seen(1, 1000));
    expect(one.state().problem).toBeUndefined();
    cluster.stop();
    try {
      await write(one, seen(1, 2000));
      expect(one.state()).toMatchObject({ problem: { cause: 'database_lost' }, dropped: { unwritten: 1 } });
      for (const past of [one, other]) await expect(answer(past)).rejects.toMatchObject({ code: 'unavailable' });
    } finally {
      cluster.start();
    }
    await write(one, seen(1, 3000));
    await one.maintain();
    expect(one.state().problem).toBeUndefined();
    for (const past of [one, other]) expect(await answer(past)).toEqual(whole(seen(1, 1000), seen(1, 3000)));
  });

  test('a day that is over is given back to the disk, and refused by everybody', async () => {
    const one = await openRecording({ days: 1 });
    const other = await open();
    const tables = async () =>
      (await postgres.query("select relname from pg_class where relname ~ '^past_day_\\d+$' order by 1")).map(
        ({ relname }) => relname,
      );
    await write(one, seen(1, 1000));
    now = addMs(START, DAY_MS);
    await write(one, seen(1, DAY_MS));
    await one.maintain();
    expect(await tables()).toEqual(['past_day_20261123']);
    now = addMs(START, DAY_MS + 2 * PERIOD_MS);
    await one.maintain();
    expect(await tables()).toEqual(['past_day_20261123', 'past_day_20261124']);
    expect(one.keptSince()).toEqual(addMs(START, PERIOD_MS));
    expect(await answer(other)).toEqual({ observations: [], more: false, isWhole: false });
    expect(other.keptSince()).toEqual(one.keptSince());
    now = addMs(START, 2 * DAY_MS + 2 * PERIOD_MS);
    await write(one, seen(1, 2 * DAY_MS + 2 * PERIOD_MS));
    // Whoever reads it is not waited for.
    const reading = await postgres.openSession();
    await reading.within(async (query) => {
      await query('select from lookout.past_day_20261123');
      await one.maintain();
      expect(await tables()).toHaveLength(2);
    });
    await reading.close();
    now = addMs(START, 3 * DAY_MS + 4 * PERIOD_MS);
    await write(one, seen(1, 3 * DAY_MS + 4 * PERIOD_MS));
    await one.maintain();
    // With the next deletion, which is that of what was just sealed.
    await one.maintain();
    expect(one.state().problem).toBeUndefined();
    expect(await tables()).not.toContain('past_day_20261123');
  });

  test('what was sealed and deleted between two readings is not answered from its frames', async () => {
    const one = await openRecording({ days: 1 });
    const reader = new SharedContents({ query: postgres.query, cacheBytes: 0, log: never, onRows: () => undefined });
    await write(one, seen(1, 1000));
    await reader.refresh();
    expect(reader.frameBytes).toBeGreaterThan(0);
    now = addMs(START, DAY_MS + PERIOD_MS);
    await write(one, seen(1, DAY_MS + PERIOD_MS));
    now = addMs(START, DAY_MS + 3 * PERIOD_MS);
    await one.maintain();
    await one.maintain();
    expect(one.keptSince()).toEqual(addMs(START, PERIOD_MS));
    await reader.refresh();
    expect((await reader.contents.history('adsb', WORLD, HOUR, 1000)).observations).toEqual([]);
    expect(reader.frameBytes).toBe(0);
  });

  test('what others record is told, of the last minute at first, also where it is sealed already', async () => {
    const one = await openRecording();
    now = addMs(START, PERIOD_MS);
    await write(one, seen(1, PERIOD_MS - 50_000), seen(2, PERIOD_MS - 5000), seen(2, PERIOD_MS - 1000));
    now = addMs(START, PERIOD_MS + 40 * SECOND_MS);
    await one.maintain();
    expect(one.state().segments).toBe(1);
    const reported: Observation[] = [];
    const other = await open({ onRecorded: (observations) => reported.push(...observations) });
    expect(reported.at(-1)).toEqual(seen(2, PERIOD_MS - 1000));
    expect(reported).not.toContainEqual(seen(1, PERIOD_MS - 50_000));
    await write(one, seen(3, PERIOD_MS + 39_000));
    // It reads by itself.
    await expect.poll(() => reported.at(-1)).toEqual(seen(3, PERIOD_MS + 39_000));
    expect(other.isCurrent).toBe(true);
  });

  test('a service with another time than the database is refused, and told what to do', async () => {
    const clock = (aheadMs: number) => () => upstreamInstant(Date.now() + aheadMs);
    await requireSameClock(postgres, clock(0));
    await expect(requireSameClock(postgres, clock(5000))).rejects.toThrow(/is 5\.\d s ahead of that of .*NTP/);
    await expect(requireSameClock(postgres, clock(-5000))).rejects.toThrow(/is \d\.\d s behind that of .*NTP/);
  });

  test('nobody is current while nobody records', async () => {
    const other = await open();
    expect(other.isCurrent).toBe(false);
    const one = await openRecording();
    await expect.poll(() => other.isCurrent).toBe(true);
    await one.close();
    // A moment without anybody is none for those that read; ten seconds are.
    await answer(other);
    expect(other.isCurrent).toBe(true);
    await postgres.query('update lookout.past set heartbeat_at = heartbeat_at - 10000');
    await expect.poll(() => other.isCurrent).toBe(false);
  });
});
