import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WirePosition } from '#lib/contract/wire-position.ts';
import { eventually } from '#testing/eventually.ts';
import { type Cluster, postgresPrograms, startCluster } from '../postgres/postgres-cluster.fixture.ts';
import { startMovingAircraft } from '../receivers/moving-aircraft.fixture.ts';
import { askHistory, askService, SharedServices } from './shared-services.fixture.ts';

const programs = postgresPrograms();
const TIMEOUT_MS = 120_000;
/** A machine that others share can be many times slower. */
const AIRCRAFT = 6;
/** Positions of the receiver may be that old when it is first asked. */
const POSITION_AGE_MS = 500;

describe.skipIf(programs === undefined)('services that share positions in PostgreSQL', { timeout: TIMEOUT_MS }, () => {
  let cluster: Cluster;
  let services: SharedServices;
  let receiver: Awaited<ReturnType<typeof startMovingAircraft>>;
  beforeAll(() => {
    cluster = startCluster(programs as string);
  }, TIMEOUT_MS);
  afterAll(() => cluster?.remove());
  beforeEach(async () => {
    services = new SharedServices(cluster);
    receiver = await startMovingAircraft({ count: AIRCRAFT });
  });
  afterEach(async () => {
    services.remove();
    await receiver.close();
  });

  const makeKey = () => services.makeKey();
  const serve = (machine: string, ...options: readonly string[]) => services.serve(machine, ...options);
  const live = (url: string, key: string) => askService(url, key, '/live/adsb?bbox=7,46,19,50');

  const allLive = (url: string, key: string) =>
    eventually(async () => {
      const answer = await live(url, key);
      expect(answer).toMatchObject({ status: 200, data: { length: AIRCRAFT } });
      return answer.data;
    });

  test('one listens, the others answer the same; when it is killed, the one that waits goes on, and each aircraft is one', async () => {
    const key = await makeKey();
    const began = Date.now() - POSITION_AGE_MS;
    const one = serve('one', '--receivers', receiver.url);
    const oneUrl: string = (await one.ready).base_url;
    const reader = serve('reader');
    const waiting = serve('waiting', '--receivers', receiver.url, '--keep-days', '3');
    const [readerUrl, waitingUrl]: string[] = [(await reader.ready).base_url, (await waiting.ready).base_url];
    const first = await allLive(readerUrl!, key);
    await allLive(oneUrl, key);
    expect(await allLive(waitingUrl!, key)).toHaveLength(AIRCRAFT);
    // Of a traffic that stands still each of them answers the same.
    receiver.setDown(true);
    await eventually(async () => {
      const answers = await Promise.all([oneUrl, readerUrl!, waitingUrl!].map((url) => live(url, key)));
      expect(answers[0]).toMatchObject({ status: 200, data: { length: AIRCRAFT } });
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    });
    const until = Date.now();
    // What was heard last may be on its way to the database.
    const recorded = await eventually(async () => {
      const answers = await Promise.all(
        [oneUrl, readerUrl!, waitingUrl!].map((url) => askHistory(url, key, began, until)),
      );
      expect(answers[0]!.length).toBeGreaterThanOrEqual(AIRCRAFT);
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      return answers[0]!;
    });

    one.child.kill('SIGKILL');
    await one.ended;
    receiver.setDown(false);
    const moved = await eventually(async () => {
      const { status, data } = await live(readerUrl!, key);
      expect([status, data?.length]).toEqual([200, AIRCRAFT]);
      for (const { observed_at } of data) expect(Date.parse(observed_at)).toBeGreaterThan(until);
      return data;
    });
    const references = (data: readonly WirePosition[]) => new Set(data.map(({ public_track_id }) => public_track_id));
    // One of them may have come to its time of change.
    expect(references(moved).intersection(references(first)).size).toBeGreaterThanOrEqual(AIRCRAFT - 1);
    const all = await askHistory(readerUrl!, key, began, Date.now());
    expect(all.slice(0, recorded.length)).toEqual(recorded);
    const places = all.map(({ public_track_id, observed_at }) => `${public_track_id} ${observed_at}`);
    expect(new Set(places).size).toBe(places.length);

    for (const { child, ended } of [waiting, reader]) {
      child.kill('SIGTERM');
      const { code, stderr } = await ended;
      expect(code).toBe(0);
      const records = stderr.match(/This service records/g)?.length ?? 0;
      expect(records).toBe(child === waiting.child ? 1 : 0);
    }
  });

  test('where nobody records, nothing is said to be live; what was recorded is answered', async () => {
    const key = await makeKey();
    const one = serve('one', '--receivers', receiver.url);
    const began = Date.now() - POSITION_AGE_MS;
    await allLive((await one.ready).base_url, key);
    // The one that would wait is told at its start what is wrong with its receivers.
    const wrong = await serve('waiting', '--feeds', join(services.folder, 'none.json')).ended;
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('none.json')]);
    one.child.kill('SIGTERM');
    expect((await one.ended).code).toBe(0);
    // As if ten seconds had gone by.
    cluster.sql('update lookout.past set heartbeat_at = heartbeat_at - 10000', services.target.database);
    const reader = serve('reader');
    const url: string = (await reader.ready).base_url;
    expect(await live(url, key)).toMatchObject({ status: 503, code: 'unavailable' });
    expect((await askHistory(url, key, began, Date.now())).length).toBeGreaterThanOrEqual(AIRCRAFT);
  });
});
