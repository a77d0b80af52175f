import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ApiError } from '#lib/api/error-code.ts';
import { SUPERVISED_PARTS } from '#lib/api/operation/ready-answer.ts';
import type { Receiver, ReceiversAnswer, ReceiversReport } from '#lib/api/receivers/receivers-answer.ts';
import type { StatusAnswer } from '#lib/api/status-answer.ts';
import { addMs, localInstant } from '#lib/time/instant.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { patientSupervisor } from '../supervision/supervisor.fixture.ts';
import { LAST_BACKUP_FILE, readLastBackup } from './last-backup.ts';
import { Metrics, type MetricsSources } from './metrics.ts';
import { destination, LAYER_STATUS, metricsSources, STATUS } from './metrics-sources.fixture.ts';

const RECEIVER: Receiver = {
  id: 'roof',
  url: 'http://pi.local/tar1090',
  aggregates: false,
  simulated: false,
  state: 'receiving',
  since: STATUS.as_of,
  problem: null,
  last_heard_at: STATUS.as_of,
  last_position_at: STATUS.as_of,
  positions_per_minute: 9,
  refused: {},
  not_served: {},
  clock_error_ms: null,
  clock_is_used: null,
  deaf: null,
};
const area = (viewers: number, fetched_at: string | null): StatusAnswer['areas'][number] => ({
  layer: 'adsb',
  bbox: [7, 46, 9, 48],
  viewers,
  zones: 0,
  cost: 1,
  interval_ms: 5000,
  fetched_at,
  records: 0,
  reason: null,
  until: null,
});
async function scrape(...answers: readonly StatusAnswer[]): Promise<readonly string[]> {
  let read = 0;
  return scrapeOf({ status: { read: async () => answers[read++] ?? STATUS } }, answers.length);
}

/** @returns the lines of the last scrape */
async function scrapeOf(changed: Partial<MetricsSources>, times = 1): Promise<readonly string[]> {
  const metrics = new Metrics(metricsSources(changed));
  let text = '';
  for (let time = 0; time < times; time++) text = await metrics.text();
  return text.split('\n').filter((line) => line.startsWith('lookout_'));
}

const named = (values: readonly string[], name: RegExp) => values.filter((line) => name.test(line));

describe('Metrics', () => {
  test('name the version of Lookout and of Node', async () => {
    const version = `lookout_build_info{version="${LOOKOUT_VERSION}",node="${process.versions.node}"} 1`;
    expect(await scrape(STATUS)).toContain(version);
  });

  test('an unknown number has no value, and one that becomes unknown disappears', async () => {
    const known = { ...STATUS, day: { ...STATUS.day, remaining: 0 }, pace_per_minute: 12 };
    const values = await scrape(known);
    expect(values).toContain('lookout_allowance_remaining{window="day"} 0');
    expect(values).toContain('lookout_pace_per_minute 12');
    const names = (await scrape(known, STATUS)).join('\n');
    for (const unknown of ['allowance_remaining', 'pace_per_minute', 'shown_age_seconds', 'lookout_sessions'])
      expect(names).not.toContain(unknown);
  });

  test('the age is that of the middle viewer and of the one worst off; what was never read has none', async () => {
    const areas = [
      area(1, '2026-11-22T12:00:00Z'),
      area(2, '2026-11-22T12:00:20Z'),
      area(3, '2026-11-22T12:00:25Z'),
      area(9, null),
    ];
    const values = await scrape({ ...STATUS, areas });
    expect(values.filter((line) => line.startsWith('lookout_shown_age_seconds'))).toEqual([
      'lookout_shown_age_seconds{layer="adsb",of="middle"} 5',
      'lookout_shown_age_seconds{layer="adsb",of="worst"} 30',
    ]);
    expect(values).toContain('lookout_planned_areas{layer="adsb",read="no"} 1');
    expect(values).toContain('lookout_planned_areas{layer="adsb",read="yes"} 3');
  });

  test('every reason for which a layer can fail has a series from the start, 1 while it applies', async () => {
    const denied = {
      state: 'denied',
      reason: 'layer_not_approved',
      since: null,
      until: null,
      reception: null,
    } as const;
    const failing = { ...STATUS, layers: { rid: denied, adsb: LAYER_STATUS } };
    expect(await scrape(failing)).toContain('lookout_layer_failing{layer="rid",reason="layer_not_approved"} 1');
    expect(await scrape(failing, STATUS)).toContain('lookout_layer_failing{layer="rid",reason="layer_not_approved"} 0');
    const series = async (...answers: readonly StatusAnswer[]) =>
      (await scrape(...answers)).filter((line) => /^lookout_layer_failing.* [01]$/.test(line)).length;
    expect(await series(failing)).toBe(await series(STATUS));
  });

  test('the reception has a series for each state while it is known, and none otherwise', async () => {
    const reception = { state: 'lost', since: null, receivers: 3, receiving: 1 } as const;
    const lost = { state: 'failing', reason: 'receivers_lost', since: null, until: null, reception } as const;
    const reported = { ...STATUS, layers: { rid: LAYER_STATUS, adsb: lost } };
    const of = (values: readonly string[]) => values.filter((line) => /^lookout_layer_rece/.test(line));
    expect(of(await scrape(reported))).toEqual([
      'lookout_layer_reception{layer="adsb",state="ok"} 0',
      'lookout_layer_reception{layer="adsb",state="partly"} 0',
      'lookout_layer_reception{layer="adsb",state="lost"} 1',
      'lookout_layer_reception{layer="adsb",state="none"} 0',
      'lookout_layer_receivers{layer="adsb",receiving="yes"} 1',
      'lookout_layer_receivers{layer="adsb",receiving="no"} 2',
    ]);
    expect(of(await scrape(reported, STATUS))).toEqual([]);
    const failing = (await scrape(reported)).filter((line) => /^lookout_layer_failing.* 1$/.test(line));
    expect(failing, 'its requests succeed').toEqual([]);
  });

  test('own receivers are counted by what they are, without names, and have no series while their service is away', async () => {
    const of = (id: string, changed: object = {}) => ({ ...RECEIVER, id, ...changed });
    const status = {
      at: STATUS.as_of,
      problems: [],
      clock_set: null,
      past: null,
      feeds: [
        of('roof'),
        of('hill', { deaf: { share: 0.35, since: STATUS.as_of } }),
        of('hut', { state: 'lost', clock_is_used: false }),
      ],
    } satisfies ReceiversReport;
    const answer = { as_of: STATUS.as_of, status, failure: null };
    const values = async (given: ReceiversAnswer) =>
      named(await scrapeOf({ receivers: { read: async () => given } }), /^lookout_receivers/);
    expect(await values(answer)).toEqual(
      ['receiving"} 2', 'silent"} 0', 'connecting"} 0', 'lost"} 1', 'deaf"} 1', 'clock_wrong"} 1'].map(
        (is) => `lookout_receivers{is="${is}`,
      ),
    );
    expect(await values({ ...answer, failure: { cause: 'not_running', since: STATUS.as_of } })).toEqual([]);
  });

  test('notices that wait or were given up, and destinations that fail, are named by destination, without its address', async () => {
    const waiting = { waiting: 3, waiting_since: '2026-11-22T11:50:30Z', given_up: 2 };
    const problem = { since: '2026-11-22T11:50:30Z', text: 'It did not answer.' };
    const off = { at: '2026-11-22T11:50:30Z', reason: 'The server answered with status 410.' };
    const values = await scrapeOf({
      destinations: async () => [
        destination('Tower "1"', { ...waiting, problem }),
        destination('Gate', { is_on: false, switched_off: off }),
        destination('Old', { is_on: false, problem }),
        destination('Dead man', { config: { kind: 'heartbeat', url: 'https://beat.example/x' } }),
      ],
    });
    const [tower, gate, old] = ['Tower \\"1\\"', 'Gate', 'Old'].map((name) => `{destination="${name}",kind="webhook"}`);
    for (const line of [
      `lookout_notices_waiting${tower} 3`,
      `lookout_notices_waiting_seconds${tower} 600`,
      `lookout_notices_given_up${tower} 2`,
      `lookout_notices_given_up${gate} 0`,
      `lookout_destination_failing${tower} 1`,
      `lookout_destination_failing${gate} 1`,
      `lookout_destination_failing${old} 0`,
      'lookout_heartbeats 1',
    ])
      expect(values).toContain(line);
    expect(named(values, /waiting_seconds/)).toHaveLength(1);
    expect(values.join('\n')).not.toContain('example');
  });

  test('a refused read of destinations and zones makes no series, and no failed scrape', async () => {
    const refused = () => Promise.reject(new ApiError('storage_failed', 'full'));
    const values = await scrapeOf({ destinations: refused, watched: refused });
    expect(named(values, /^lookout_(notices|destination|heartbeats)/)).toEqual([]);
    expect(values).toContain('lookout_viewers 0');
  });

  test('zones are counted by whether they are watched, and those that are not by their reason', async () => {
    const since = '2026-11-22T11:50:30Z';
    const values = await scrapeOf({
      watched: async () => [
        { state: 'watched', since, reason: null },
        { state: 'partly', since, reason: 'receivers_partly' },
        { state: 'not_watched', since, reason: 'watch_failed' },
        { state: 'not_watched', since, reason: 'watch_failed' },
        undefined,
      ],
    });
    expect(named(values, /^lookout_zones{/)).toEqual([
      'lookout_zones{state="watched"} 1',
      'lookout_zones{state="partly"} 1',
      'lookout_zones{state="not_watched"} 2',
      'lookout_zones{state="unknown"} 1',
    ]);
    expect(named(values, /^lookout_zones_not_watched.* [^0]/)).toEqual([
      'lookout_zones_not_watched{reason="watch_failed"} 2',
      'lookout_zones_not_watched{reason="unknown"} 1',
    ]);
    expect(named(values, /^lookout_zones_not_watched/)).toHaveLength(10);
  });

  test('a part that fails is 1 and counted, and the age of its last pass grows', async () => {
    let at = localInstant(0);
    const supervisor = patientSupervisor(() => at);
    supervisor.part('delivery').worked();
    supervisor.part('watch').failed(new Error('defect'));
    at = addMs(at, 7000);
    const values = await scrapeOf({ supervisor });
    expect(named(values, /^lookout_part_failing.* 1$/)).toEqual(['lookout_part_failing{part="watch"} 1']);
    expect(named(values, /^lookout_part_failing/)).toHaveLength(SUPERVISED_PARTS.length);
    expect(values).toContain('lookout_part_failures_total{part="watch"} 1');
    expect(named(values, /^lookout_part_done/)).toEqual(['lookout_part_done_seconds{part="delivery"} 7']);
  });

  test('the writer, a foreign schema, and the last backup are known where there is one', async () => {
    const several = (fence: number | undefined) => ({
      servers: { database: { failure: undefined }, lease: { fence, onChange: () => () => undefined } },
    });
    expect(await scrapeOf(several(3))).toContain('lookout_writer 1');
    expect(await scrapeOf(several(undefined))).toContain('lookout_writer 0');
    const alone = await scrapeOf({});
    expect(named(alone, /^lookout_(writer|backup_seconds|operators)/)).toEqual([]);
    expect(alone).toContain('lookout_schema_other 0');
    const last = { made: '2026-11-22T11:00:30Z', verified: null };
    const backedUp = await scrapeOf({ lastBackup: () => last, operators: () => 2 });
    expect(named(backedUp, /^lookout_backup/)).toEqual(['lookout_backup_seconds{of="made"} 3600']);
    expect(backedUp).toContain('lookout_operators 2');
  });
});

test('the last backup is what the backup command noted in DATA_DIR, and unknown if that cannot be read', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lookout-backup-'));
  const file = join(dataDir, LAST_BACKUP_FILE);
  const last = { made: '2026-11-22T11:00:30.123Z', verified: '2026-11-22T11:01:00Z' };
  expect(readLastBackup(dataDir)).toBeUndefined();
  writeFileSync(file, JSON.stringify(last));
  expect(readLastBackup(dataDir)).toEqual(last);
  for (const text of ['', '{', '{"made":"yesterday","verified":null}', '{"made":null,"verified":null}']) {
    writeFileSync(file, text);
    expect(readLastBackup(dataDir)).toBeUndefined();
  }
  rmSync(dataDir, { recursive: true });
});
