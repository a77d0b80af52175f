import { afterEach, expect, test } from 'vitest';
import type { ReceptionStretch } from '#lib/model/reception.ts';
import { addMs, epochMs, instantOf, upstreamInstant } from '#lib/time/instant.ts';
import { observation } from '#service/conformance/listed-source.ts';
import { type HistoryHarness, startHistoryHarness } from '#testing/history-harness.ts';
import { SwitchableLease } from '#testing/switchable-lease.ts';
import type { Database } from '../../database/database.ts';
import { memoryDatabase } from '../../database/memory-database.fixture.ts';
import { AreaReads } from '../../live/area-reads.ts';
import { strictSupervisor } from '../../supervision/supervisor.fixture.ts';
import { AlarmStore } from '../alarms/alarm-store.ts';
import { CurrentZones } from '../current-zones.ts';
import { newZone } from '../new-zone.fixture.ts';
import { withReception } from '../with-reception.fixture.ts';
import { Zones } from '../zones.ts';
import { GapStore, HistoryGaps } from './history-gaps.ts';
import type { OpenStretch } from './stretch-rows.ts';
import { WatchedLedger } from './watched-ledger.ts';
import { ZoneWatch } from './zone-watch.ts';

const FROM = instantOf('2026-11-21T10:20:00Z');
const TO = instantOf('2026-11-21T10:45:00Z');
const crossing = Array.from({ length: 24 }, (_, index) =>
  observation({
    layer: 'rid',
    sourceId: 'drone',
    observedAt: addMs(FROM, 300_000 + index * 5000),
    lon: 8.45 + index * 0.004,
    lat: 47.4,
  }),
);

let harness: HistoryHarness;
let end: () => Promise<void>;
afterEach(async () => {
  await end();
  await harness.live.close();
});

/** @param reception of each part of the past */
async function unwatched(
  requestsADay: number,
  { reason = 'stopped', reception }: { reason?: OpenStretch['reason']; reception?: readonly ReceptionStretch[] } = {},
) {
  harness = await startHistoryHarness(crossing);
  const { live, reader } = harness;
  const database = await memoryDatabase();
  const now = () => upstreamInstant(epochMs(live.now()));
  const log = { error: (details: object) => Promise.reject(new Error('failed', { cause: details })) };
  const zones = new Zones(database, now);
  const rules = [{ ...newZone().rules[0]!, layers: ['rid' as const] }];
  const caller = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
  const { id } = await zones.add(caller, newZone({ rules, history_requests_a_day: requestsADay }));
  const current = new CurrentZones(zones, strictSupervisor().part('zones'));
  await current.read();
  const lease = new SwitchableLease(0);
  const store = new AlarmStore(database);
  const stretch = (from: string, to: string): OpenStretch => ({
    zoneId: id,
    layer: 'rid',
    fromMs: epochMs(instantOf(from)),
    toMs: epochMs(instantOf(to)),
    state: 'not_watched',
    reason,
  });
  const stretches = [
    stretch('2026-11-21T10:20:00Z', '2026-11-21T10:30:00Z'),
    stretch('2026-11-21T10:30:00Z', '2026-11-21T10:40:00Z'),
    stretch('2026-11-21T10:40:00Z', '2026-11-21T10:45:00Z'),
  ];
  await store.commit({ rows: [], transitions: [], stretches, madeUp: [], at: now() }, 0);
  const watch = new ZoneWatch({
    part: strictSupervisor().part('watch'),
    store,
    lease,
    current,
    now,
    log,
    reads: new AreaReads(),
    planned: live.scheduler,
    snapshots: live.snapshots,
    whyAway: 'stopped',
    onAlarms: () => undefined,
  });
  const history = reception ? withReception(reader, reception) : reader;
  const gaps = new HistoryGaps({
    store: new GapStore(database),
    watch,
    history,
    current,
    lease,
    now,
    part: strictSupervisor().part('gaps'),
  });
  end = async () => {
    await gaps.close();
    await watch.close();
    await current.close();
    await database.close();
  };
  const runGaps = async () => {
    await gaps.run();
    await watch.idle();
  };
  const states = async () => {
    const { stretches } = await new WatchedLedger(database, current, now, () => []).between(id, FROM, TO);
    return stretches.map(({ state, reason }) => [state, reason]);
  };
  const times = async () => {
    const { stretches } = await new WatchedLedger(database, current, now, () => []).between(id, FROM, TO);
    return stretches.map(({ from, to, state, reason }) => [from.slice(11, 19), to.slice(11, 19), state, reason]);
  };
  return { times, database, runGaps, states, spent: () => spentOn(database) };
}

async function spentOn(database: Database): Promise<number> {
  const rows = await database.query.selectFrom('zone_spent').select('requests').execute();
  return rows.reduce((sum, { requests }) => sum + requests, 0);
}

test('an unwatched stretch is read piece by piece, its alarms are found once, and then it counts as watched', async () => {
  const { database, runGaps, states, spent } = await unwatched(50);
  for (let turn = 0; turn < 4; turn++) await runGaps();
  const alarms = await database.query.selectFrom('alarm').selectAll().execute();
  expect(alarms).toMatchObject([{ kind: 'entered', state: 'ended', ended: 'left' }]);
  expect(alarms[0]?.found_later_ms).toBeGreaterThan(3_600_000);
  expect(await states()).toEqual([['watched', null]]);
  const { length: requests } = harness.live.service.requests();
  expect(requests).toBeGreaterThan(0);
  expect(await spent()).toBe(requests);
  await runGaps();
  expect(harness.live.service.requests()).toHaveLength(requests);
});

test('a zone that allows two requests a day goes on tomorrow', async () => {
  const { runGaps, states, spent } = await unwatched(2);
  for (let turn = 0; turn < 4; turn++) await runGaps();
  expect(harness.live.service.requests().length).toBeLessThanOrEqual(2);
  expect(await spent()).toBeLessThanOrEqual(2);
  expect((await states()).map(([state]) => state)).toEqual(['watched', 'not_watched']);
  harness.live.moveClock(24 * 3_600_000);
  for (let turn = 0; turn < 2; turn++) await runGaps();
  expect(await states()).toEqual([['watched', null]]);
});

test('a zone that allows no requests is not read from history', async () => {
  const { runGaps, states } = await unwatched(0);
  await runGaps();
  expect(harness.live.service.requests()).toEqual([]);
  expect(await states()).toEqual([['not_watched', 'stopped']]);
});

test('a stretch without a receiver is not read from history', async () => {
  for (const reason of ['receivers_lost', 'receivers_partly', 'not_equipped'] as const) {
    const { runGaps, states } = await unwatched(50, { reason });
    await runGaps();
    expect(harness.live.service.requests()).toEqual([]);
    expect(await states()).toEqual([['not_watched', reason]]);
  }
});

test('history fills no time without a receiver, and time without some of them only partly', async () => {
  const stretch = (from: string, to: string, state: ReceptionStretch['state']): ReceptionStretch => ({
    from: instantOf(`2026-11-21T${from}Z`),
    to: instantOf(`2026-11-21T${to}Z`),
    state,
  });
  const reception = [
    stretch('10:00:00', '10:22:00', 'ok'),
    stretch('10:22:00', '10:33:00', 'lost'),
    stretch('10:34:00', '10:36:00', 'partly'),
    stretch('10:43:00', '11:30:00', 'none'),
  ];
  const { runGaps, times, database } = await unwatched(50, { reception });
  for (let turn = 0; turn < 4; turn++) await runGaps();
  expect(await times()).toEqual([
    ['10:20:00', '10:22:00', 'watched', null],
    ['10:22:00', '10:33:00', 'not_watched', 'receivers_lost'],
    ['10:33:00', '10:34:00', 'watched', null],
    ['10:34:00', '10:36:00', 'partly', 'receivers_partly'],
    ['10:36:00', '10:43:00', 'watched', null],
    ['10:43:00', '10:45:00', 'not_watched', 'not_equipped'],
  ]);
  const { length: requests } = harness.live.service.requests();
  await runGaps();
  expect(harness.live.service.requests()).toHaveLength(requests);
  const gaps = database.query.selectFrom('zone_stretch').where('to_ms', '<=', epochMs(TO));
  const rows = await gaps.select('made_up').execute();
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.every(({ made_up }) => made_up === 1)).toBe(true);
});
