import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Reception } from '#lib/model/reception.ts';
import { addMs, epochMs, parseInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { ruleSchema } from '#lib/zones/rule.ts';
import { type LiveHarness, startLiveHarness, steadyTraffic } from '#testing/live-harness.ts';
import { SwitchableLease } from '#testing/switchable-lease.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import { NoAllowance } from '../../allowance/no-allowance.ts';
import type { Database } from '../../database/database.ts';
import { memoryDatabase } from '../../database/memory-database.fixture.ts';
import { ONLY_SERVER } from '../../database/writer-lease.ts';
import { AreaReads } from '../../live/area-reads.ts';
import { AreaSnapshots } from '../../live/area-snapshots.ts';
import { strictSupervisor } from '../../supervision/supervisor.fixture.ts';
import { AlarmStore } from '../alarms/alarm-store.ts';
import { CurrentZones } from '../current-zones.ts';
import { newZone } from '../new-zone.fixture.ts';
import { zoneBoxes } from '../zone-boxes.ts';
import { Zones } from '../zones.ts';
import { WORLD_START } from './crossing-world.fixture.ts';
import { RunningWatch } from './running-watch.fixture.ts';
import { WatchedLedger } from './watched-ledger.ts';
import { ZoneWatch } from './zone-watch.ts';

const al = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
const at = (s: number) => addMs(WORLD_START, s * SECOND_MS);
const inSeconds = (text: string) => (epochMs(parseInstant(text) as UpstreamInstant) - epochMs(WORLD_START)) / SECOND_MS;

const [entered] = newZone().rules;
const entries = (...layers: ('rid' | 'adsb')[]) => [{ ...entered!, layers }];
const OK: Reception = { state: 'ok', since: undefined, receivers: 1, receiving: 1 };
const NONE: Reception = { state: 'none', since: undefined, receivers: 0, receiving: 0 };
const lost = (sinceS: number): Reception => ({ state: 'lost', since: at(sinceS), receivers: 1, receiving: 0 });
const back = (sinceS: number): Reception => ({ ...OK, since: at(sinceS) });
const partly = (sinceS: number): Reception => ({ state: 'partly', since: at(sinceS), receivers: 3, receiving: 2 });

async function addZone({ zones, current }: RunningWatch, rules: ReturnType<typeof newZone>['rules']): Promise<string> {
  const { id } = await zones.add(al, newZone({ rules }));
  await current.read();
  return id;
}

/** Reads every 5 s. */
async function readFor(running: RunningWatch, fromS: number, toS: number, reception?: Reception): Promise<void> {
  for (let s = fromS; s <= toS; s += 5) await running.readNothing(at(s), reception);
}

async function stretchesOf(database: Database, { current }: RunningWatch, zone: string, nowS: number) {
  const { stretches } = await new WatchedLedger(
    database,
    current,
    () => at(nowS),
    () => [],
  ).between(zone, at(0), at(nowS));
  return stretches.map(({ from, to, state, reason }) => [inSeconds(from), inSeconds(to), state, reason]);
}

async function presentOf(database: Database, { current }: RunningWatch, zone: string, nowS: number) {
  const present = (
    await new WatchedLedger(
      database,
      current,
      () => at(nowS),
      () => [],
    ).present()
  ).get(zone);
  return present && [inSeconds(present.since), present.state, present.reason];
}

async function eventsOf(database: Database): Promise<readonly string[]> {
  const rows = await database.query.selectFrom('alarm_outbox').select(['type', 'at_ms']).orderBy('change').execute();
  return rows.map(({ type, at_ms }) => `${type} +${(at_ms - epochMs(WORLD_START)) / SECOND_MS}`);
}

describeDatabases('a zone whose receivers are lost', ({ dialect, open, newTarget, testOnce }) => {
  let database: Database;
  let running: RunningWatch;
  const lease = new SwitchableLease(0);
  beforeEach(async () => {
    database = await open();
    running = await RunningWatch.start(database, lease);
    return () => running.close();
  });

  testOnce('is not watched from when they were last heard until they are back', async () => {
    const zone = await addZone(running, entries('rid'));
    await readFor(running, 0, 50, OK);
    await readFor(running, 55, 90, lost(42));
    expect(await presentOf(database, running, zone, 92)).toEqual([42, 'not_watched', 'receivers_lost']);
    await readFor(running, 95, 95, back(93));
    expect(await presentOf(database, running, zone, 96)).toEqual([93, 'watched', null]);
    await readFor(running, 100, 120, back(93));
    expect(await stretchesOf(database, running, zone, 120)).toEqual([
      [0, 42, 'watched', null],
      [42, 93, 'not_watched', 'receivers_lost'],
      [93, 120, 'watched', null],
    ]);
    const rows = await database.query.selectFrom('zone_stretch').selectAll().execute();
    expect(rows).toHaveLength(3);
  });

  testOnce('has a loss of which the upstream tells minutes later', async () => {
    const zone = await addZone(running, entries('rid'));
    await readFor(running, 0, 50, OK);
    await running.readNothing(at(90), OK);
    await readFor(running, 95, 300, OK);
    await readFor(running, 305, 310, lost(42));
    expect(await stretchesOf(database, running, zone, 310)).toEqual([
      [0, 42, 'watched', null],
      [42, 310, 'not_watched', 'receivers_lost'],
    ]);
  });

  testOnce('is partly watched while some are lost, and keeps what it was before', async () => {
    const zone = await addZone(running, entries('rid'));
    await readFor(running, 0, 50, OK);
    await readFor(running, 55, 90, partly(42));
    await readFor(running, 95, 120, lost(87));
    await readFor(running, 125, 150, partly(42));
    expect(await stretchesOf(database, running, zone, 150)).toEqual([
      [0, 42, 'watched', null],
      [42, 87, 'partly', 'receivers_partly'],
      [87, 120, 'not_watched', 'receivers_lost'],
      [120, 150, 'partly', 'receivers_partly'],
    ]);
  });

  testOnce('is watched next to the area of another service that fails, also where both are read at once', async () => {
    const zone = await addZone(running, entries('rid'));
    const [here, there] = [
      { west: 0, south: 40, east: 8.6, north: 60 },
      { west: 8.6, south: 40, east: 20, north: 60 },
    ];
    const reported = (ofHere: Reception, ofThere: Reception): Reception => ({
      ...partly(42),
      places: [
        { ...ofHere, bbox: here },
        { ...ofThere, bbox: there },
      ],
    });
    await readFor(running, 0, 50, reported(OK, OK));
    await readFor(running, 55, 90, reported(OK, lost(42)));
    expect(await stretchesOf(database, running, zone, 90)).toEqual([[0, 90, 'watched', null]]);
    await readFor(running, 95, 120, reported(lost(88), lost(42)));
    expect(await stretchesOf(database, running, zone, 120)).toEqual([
      [0, 88, 'watched', null],
      [88, 120, 'not_watched', 'receivers_lost'],
    ]);
  });

  testOnce('is partly watched where a layer has no receiver, and says of each layer how', async () => {
    const zone = await addZone(running, entries('rid', 'adsb'));
    for (let s = 0; s <= 60; s += 5) {
      await running.readNothing(at(s), NONE);
      await running.readNothing(at(s), OK, 'adsb');
    }
    const present = (
      await new WatchedLedger(
        database,
        running.current,
        () => at(60),
        () => [],
      ).present()
    ).get(zone);
    expect(present).toMatchObject({ state: 'partly', reason: 'not_equipped' });
    expect(present?.layers).toMatchObject([
      { layer: 'rid', state: 'not_watched', reason: 'not_equipped' },
      { layer: 'adsb', state: 'watched', reason: null },
    ]);
  });

  testOnce('is presently as all its layers are, also where one was read later', async () => {
    const zone = await addZone(running, entries('rid', 'adsb'));
    for (let s = 0; s <= 60; s += 5) {
      await running.readNothing(at(s), NONE);
      await running.readNothing(at(s + 3), OK, 'adsb');
    }
    expect(await presentOf(database, running, zone, 64)).toEqual([3, 'partly', 'not_equipped']);
    expect((await stretchesOf(database, running, zone, 64)).slice(1)).toEqual([[3, 63, 'partly', 'not_equipped']]);
    await running.readNothing(at(65), NONE);
    expect((await stretchesOf(database, running, zone, 66)).slice(1)).toEqual([[3, 65, 'partly', 'not_equipped']]);
  });

  testOnce('is watched again, or not at all, since the last of its layers is', async () => {
    const zone = await addZone(running, entries('rid', 'adsb'));
    const readBoth = async (fromS: number, toS: number, rid: Reception, adsb: Reception) => {
      for (let s = fromS; s <= toS; s += 5) {
        await running.readNothing(at(s), rid);
        await running.readNothing(at(s), adsb, 'adsb');
      }
    };
    await readBoth(0, 50, OK, OK);
    await readBoth(55, 90, OK, partly(42));
    expect(await presentOf(database, running, zone, 92)).toEqual([42, 'partly', 'receivers_partly']);
    await readBoth(95, 120, OK, back(93));
    expect(await presentOf(database, running, zone, 122)).toEqual([93, 'watched', null]);
    await readBoth(125, 150, lost(122), back(93));
    await readBoth(155, 180, lost(122), lost(152));
    expect(await presentOf(database, running, zone, 182)).toEqual([152, 'not_watched', 'receivers_lost']);
  });

  testOnce('keeps a loss that is reported while history is read for a gap around it', async () => {
    const zone = await addZone(running, entries('rid'));
    for (let s = 0; s <= 300; s += 30) await running.readNothing(at(s), OK);
    const gap = { zoneId: zone, layer: 'rid' as const, fromMs: epochMs(at(0)), toMs: epochMs(at(300)) };
    await readFor(running, 305, 310, lost(200));
    running.watch.takeGap({
      kind: 'gap',
      gap: { zoneId: zone, layer: 'rid', from: at(0), to: at(300) },
      observations: [],
      madeUp: [{ ...gap, state: 'watched', reason: null }],
    });
    await running.watch.idle();
    expect(await stretchesOf(database, running, zone, 310)).toEqual([
      [0, 200, 'partly', 'allowance'],
      [200, 310, 'not_watched', 'receivers_lost'],
    ]);
    const rows = await database.query.selectFrom('zone_stretch').selectAll().orderBy('from_ms').execute();
    for (const [index, { from_ms }] of rows.slice(1).entries()) expect(from_ms).toBe(rows[index]!.to_ms);
  });

  testOnce('does not mind a layer that its rules do not ask for', async () => {
    const zone = await addZone(running, entries('rid'));
    for (let s = 0; s <= 60; s += 5) {
      await running.readNothing(at(s), OK);
      await running.readNothing(at(s), lost(0), 'adsb');
    }
    expect(await presentOf(database, running, zone, 60)).toEqual([0, 'watched', null]);
  });

  testOnce('is not watched for its own reason while the upstream does not answer either', async () => {
    const zone = await addZone(running, entries('rid'));
    await readFor(running, 0, 50, OK);
    for (let s = 55; s <= 300; s += 5) await running.passAt(at(s));
    await readFor(running, 305, 310, lost(200));
    expect(await stretchesOf(database, running, zone, 310)).toEqual([
      [0, 50, 'watched', null],
      [50, 295, 'not_watched', 'upstream'],
      [295, 310, 'not_watched', 'receivers_lost'],
    ]);
  });

  testOnce('tells of no silence in that time: not of tracks, and not of the zone', async () => {
    await addZone(running, [
      ...entries('rid'),
      ruleSchema.parse({ kind: 'nothing_received', layers: ['rid'], for_s: 60 }),
    ]);
    for (let step = 0; step < 12; step++) await running.read(step, OK);
    const before = await eventsOf(database);
    expect(before.filter((events) => events.startsWith('opened'))).not.toEqual([]);
    // Its tracks would be lost 180 s after 55 s, and nothing received for 60 s after it.
    await readFor(running, 60, 90, OK);
    await readFor(running, 95, 900, lost(80));
    const events = (await eventsOf(database)).slice(before.length);
    expect(events.length).toBeGreaterThan(0);
    expect([...new Set(events)]).toEqual(['unknown +80']);
    await readFor(running, 905, 940, back(905));
    expect((await eventsOf(database)).slice(before.length + events.length)).toEqual([]);
  });

  testOnce('ends no alarm by a silence that ends while the loss is not noticed', async () => {
    await addZone(running, entries('rid'));
    for (let step = 0; step < 12; step++) await running.read(step, OK);
    const before = await eventsOf(database);
    // Lost at 235 s, if the receiver had not died at 230 s.
    await readFor(running, 60, 240, OK);
    await readFor(running, 245, 300, lost(230));
    const events = (await eventsOf(database)).slice(before.length);
    expect([...new Set(events)]).toEqual(['unknown +230']);
  });

  testOnce('takes back an end by a silence that turns out minutes later not to have been watched', async () => {
    await addZone(running, entries('rid'));
    for (let step = 0; step < 12; step++) await running.read(step, OK);
    const open = database.query.selectFrom('alarm').where('ended', '=', 'lost');
    await readFor(running, 60, 300, OK);
    expect(await open.selectAll().execute()).not.toEqual([]);
    await readFor(running, 305, 310, lost(100));
    expect(await open.selectAll().execute()).toEqual([]);
    const unknown = await database.query.selectFrom('alarm').selectAll().where('state', '=', 'unknown').execute();
    expect(unknown.length).toBeGreaterThan(0);
    for (const { unknown_since_ms, ended_ms } of unknown)
      expect([unknown_since_ms, ended_ms]).toEqual([epochMs(at(100)), null]);
    await readFor(running, 315, 330, back(312));
    expect(await open.selectAll().execute()).toEqual([]);
  });

  testOnce('has silence of tracks as before where the receivers are there', async () => {
    await addZone(running, entries('rid'));
    for (let step = 0; step < 12; step++) await running.read(step, OK);
    const before = await eventsOf(database);
    await readFor(running, 60, 255, OK);
    const events = (await eventsOf(database)).slice(before.length);
    expect([...new Set(events)]).toEqual(['ended +55']);
  });

  testOnce('goes on after a restart with the same time, and knows of the return', async () => {
    const zone = await addZone(running, entries('rid'));
    await readFor(running, 0, 50, OK);
    await readFor(running, 55, 60, lost(42));
    await running.close();
    running = await RunningWatch.start(database, lease, 12);
    await readFor(running, 65, 70, lost(42));
    await running.close();
    running = await RunningWatch.start(database, lease, 14);
    await readFor(running, 75, 80, back(73));
    expect(await stretchesOf(database, running, zone, 80)).toEqual([
      [0, 42, 'watched', null],
      [42, 73, 'not_watched', 'receivers_lost'],
      [73, 80, 'watched', null],
    ]);
  });

  testOnce('takes for silence after a restart what was watched before it', async () => {
    await addZone(running, entries('rid'));
    for (let step = 0; step < 12; step++) await running.read(step, OK);
    const before = await eventsOf(database);
    await readFor(running, 60, 200, OK);
    await running.close();
    running = await RunningWatch.start(database, lease, 40);
    await readFor(running, 205, 255, OK);
    expect([...new Set((await eventsOf(database)).slice(before.length))]).toEqual(['ended +55']);
  });

  test.runIf(dialect === 'postgres')('has the same time at the next writer', async () => {
    const target = newTarget();
    const shared = await open(target);
    const [first, second] = [new SwitchableLease(0), new SwitchableLease(undefined)];
    const one = await RunningWatch.start(shared, first);
    const zone = await addZone(one, entries('rid'));
    const other = await RunningWatch.start(await open(target), second);
    await readFor(one, 0, 50, OK);
    await readFor(one, 55, 60, lost(42));
    await sql`update writer set fence = 1`.execute(shared.query);
    second.fence = 1;
    await readFor(other, 65, 70, lost(42));
    // It does not know yet.
    await readFor(one, 75, 75, OK);
    await readFor(other, 75, 80, back(72));
    expect(await stretchesOf(shared, other, zone, 80)).toEqual([
      [0, 42, 'watched', null],
      [42, 72, 'not_watched', 'receivers_lost'],
      [72, 80, 'watched', null],
    ]);
    await one.close();
    await other.close();
  });
});

describe('over a service that reports its receivers', () => {
  let live: LiveHarness;
  let end: () => Promise<void>;
  afterEach(async () => {
    await end();
    await live.close();
  });

  test('a zone is not watched while the only receiver is silent', async () => {
    let diedAt: UpstreamInstant | undefined;
    let backAt: UpstreamInstant | undefined;
    const reception = (_layer: unknown, _bbox: unknown, now: UpstreamInstant): Reception => {
      // The loss is noticed after 10 s.
      const isLost = diedAt !== undefined && backAt === undefined && epochMs(now) - epochMs(diedAt) >= 10 * SECOND_MS;
      return isLost ? { ...lost(0), since: diedAt } : { ...OK, since: backAt };
    };
    const [reads, snapshots] = [new AreaReads(), new AreaSnapshots()];
    const stores = { reads, snapshots, ledger: new NoAllowance() };
    live = await startLiveHarness({ stores, isCounted: false, source: { ...steadyTraffic(3), reception } });
    const now = () => live.client.clock.now();
    const database = await memoryDatabase();
    const zones = new Zones(database, now);
    const log = { error: (details: object) => Promise.reject(new Error('failed', { cause: details })) };
    const current = new CurrentZones(zones, strictSupervisor().part('zones'));
    const { id } = await zones.add(al, newZone({ rules: entries('rid') }));
    await current.read();
    const watch = new ZoneWatch({
      part: strictSupervisor().part('watch'),
      store: new AlarmStore(database),
      lease: ONLY_SERVER,
      reads,
      snapshots,
      planned: live.scheduler,
      current,
      now,
      whyAway: 'stopped',
      log,
      onAlarms: () => undefined,
    });
    end = async () => {
      await watch.close();
      await current.close();
      await database.close();
    };
    live.scheduler.watch(zoneBoxes(current.all[0]!));
    const seconds = async (count: number) => {
      for (let second = 0; second < count; second++) {
        live.moveClock(SECOND_MS);
        live.scheduler.changed('rid');
        await live.scheduler.tick();
        await live.scheduler.idle();
        await watch.idle();
      }
    };
    const ledger = new WatchedLedger(database, current, now, () => []);
    const start = upstreamInstant(epochMs(live.now()));
    const stretches = async () =>
      (await ledger.between(id, start, now())).stretches.map(({ from, state, reason }) => [
        parseInstant(from),
        state,
        reason,
      ]);
    await seconds(30);
    diedAt = now();
    await seconds(15);
    expect((await stretches()).slice(1)).toEqual([[diedAt, 'not_watched', 'receivers_lost']]);
    await seconds(60);
    backAt = now();
    await seconds(5);
    expect((await ledger.present()).get(id)).toMatchObject({ state: 'watched', reason: null });
    expect((await stretches()).slice(1)).toEqual([
      [diedAt, 'not_watched', 'receivers_lost'],
      [backAt, 'watched', null],
    ]);
  });
});
