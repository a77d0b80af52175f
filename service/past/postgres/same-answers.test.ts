import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addMs, formatInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { openPostgres } from '../../postgres/open-postgres.ts';
import type { Postgres } from '../../postgres/postgres.ts';
import { type Cluster, postgresPrograms, startCluster } from '../../postgres/postgres-cluster.fixture.ts';
import { startService } from '../../server/start-service.ts';
import { EmbeddedPast } from '../files/embedded-past.ts';
import type { Past } from '../past.ts';
import type { RecordingPast } from '../past-suite.fixture.ts';
import { batchAt, FIRST_BATCH_AT, observationsOf } from '../recorded-batch.fixture.ts';
import { DatabasePlace } from './database-place.fixture.ts';
import { PostgresPast } from './postgres-past.ts';

const programs = postgresPrograms();
/** An hour of them: they are five seconds apart. */
const BATCHES = 720;
const referenceSecret = randomBytes(32);
const apiKey = randomBytes(32).toString('hex');
const log = (entry: string) => expect.fail(entry);

describe.skipIf(programs === undefined)('one hour, recorded in files and in PostgreSQL', () => {
  let cluster: Cluster;
  let postgres: Postgres;
  const folder = mkdtempSync(join(tmpdir(), 'lookout-same-answers-'));
  let now = FIRST_BATCH_AT;
  const clock = () => now;
  beforeAll(async () => {
    cluster = startCluster(programs as string);
    postgres = await openPostgres(cluster.target(), { makes: true, log });
  });
  afterAll(async () => {
    await postgres?.close();
    cluster?.remove();
    rmSync(folder, { recursive: true });
  });

  const openFiles = () => EmbeddedPast.open({ folder, now: clock, log });
  const openDatabase = () => PostgresPast.open({ postgres, now: clock, log });

  /** Every page that a replay of the hour reads, as text, without what differs between any two answers. */
  async function pagesOf(past: Past): Promise<string[]> {
    const service = await startService({
      source: {
        live: () => [],
        history: (...asked) => past.history(...asked),
        historyTimes: (...asked) => past.historyTimes(...asked),
        keptSince: () => past.keptSince(),
      },
      now: clock,
      referenceSecret,
      apiKey,
      allowance: { perMinute: 10_000, perDay: 10_000 },
    });
    const pages: string[] = [];
    try {
      for (const [bbox, minutes, limit] of [
        ['7,46,12,51', 5, 1000],
        ['8,47,8.7,48', 30, 1000],
        ['8.5,47,9,48', 5, 7],
      ] as const) {
        for (let at = 0; at < HOUR_MS; at += minutes * MINUTE_MS) {
          const start = formatInstant(addMs(FIRST_BATCH_AT, at));
          const end = formatInstant(addMs(FIRST_BATCH_AT, at + minutes * MINUTE_MS));
          for (const layer of ['adsb', 'rid']) {
            const query = `/history/${layer}?bbox=${bbox}&start=${start}&end=${end}&limit=${limit}`;
            const answer = await fetch(service.baseUrl + query, { headers: { authorization: `Bearer ${apiKey}` } });
            expect([query, answer.status]).toEqual([query, 200]);
            pages.push((await answer.text()).replace(/"request_id":"[^"]*"/, ''));
          }
        }
      }
    } finally {
      await service.close();
    }
    return pages;
  }

  test('is answered byte for byte the same: while it is recorded, three days later, after a restart, and by a service that records nothing', async () => {
    await DatabasePlace.emptied(postgres);
    let files: RecordingPast = await openFiles();
    let database = await openDatabase();
    await database.record(() => undefined);
    try {
      for (let batch = 0; batch < BATCHES; batch += 1) {
        now = batchAt(batch);
        for (const past of [files, database]) past.append(observationsOf(batch));
        // Sooner than what waits is too old to be recorded.
        if (batch % 3 === 0) await Promise.all([files.flush(), database.flush()]);
        if (batch % 30 === 0) await Promise.all([files.maintain(), database.maintain()]);
      }
      await Promise.all([files.flush(), database.flush()]);
      const dropped = { untimely: 0, unstorable: 0, unwritten: 0 };
      for (const past of [files, database]) expect(past.state().dropped).toEqual(dropped);
      now = addMs(now, MINUTE_MS);
      const expected = await pagesOf(files);
      expect(new Set(expected).size).toBeGreaterThan(40);
      expect(expected.join()).toContain('"truncated":true');
      expect(await pagesOf(database)).toEqual(expected);

      now = addMs(now, 3 * DAY_MS);
      await Promise.all([files.maintain(), database.maintain()]);
      const ofNow = (pages: readonly string[]) => pages.map((page) => page.replace(/"generated_at":"[^"]*"/, ''));
      const later = await pagesOf(files);
      expect(ofNow(later)).toEqual(ofNow(expected));
      expect(await pagesOf(database)).toEqual(later);
      expect(database.state()).toMatchObject({ segments: files.state().segments, bytes: files.state().bytes });

      await Promise.all([files.close(), database.close()]);
      files = await openFiles();
      database = await openDatabase();
      for (const past of [files, database]) expect(await pagesOf(past)).toEqual(later);
    } finally {
      await Promise.all([files.close(), database.close()]);
    }
  });

  test('the segments themselves are the same bytes', async () => {
    const segments = (readdirSync(join(folder, 'segments'), { recursive: true }) as string[]).filter((name) =>
      name.endsWith('.segment'),
    );
    const rows = await postgres.query<{ layer: string; bytes: Buffer }>(
      'select layer, bytes from lookout.past_day_20261123 order by layer, start',
    );
    const inFiles = segments
      .sort((a, b) => (a < b ? -1 : 1))
      .map((name) => readFileSync(join(folder, 'segments', name)));
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.map(({ bytes }) => bytes.toString('hex'))).toEqual(inFiles.map((bytes) => bytes.toString('hex')));
  });
});
