import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NewPermit, Permit } from '#lib/api/watching/permits.ts';
import type { Reception } from '#lib/model/reception.ts';
import { addMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { SwitchableLease } from '#testing/switchable-lease.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../../database/database.ts';
import { Alarms } from '../alarms/alarms.ts';
import { newZone } from '../new-zone.fixture.ts';
import type { ZoneCaller } from '../zone-rows.ts';
import { timeOf, WORLD_START } from './crossing-world.fixture.ts';
import { RunningWatch } from './running-watch.fixture.ts';

const al: ZoneCaller = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
const FENCE = 0;
const STEP_MS = 5 * SECOND_MS;
/** The permit is from 1 to 3 minutes after the start. */
const [STARTS, ENDS] = [addMs(WORLD_START, MINUTE_MS), addMs(WORLD_START, 3 * MINUTE_MS)];
const DECIDED = addMs(ENDS, 4 * MINUTE_MS);
const partly: Reception = { state: 'partly', since: undefined, receivers: 2, receiving: 1 };

describeDatabases('expected flights', ({ newTarget, open, testOnce }) => {
  let target: ReturnType<typeof newTarget>;
  let database: Database;
  let running: RunningWatch;
  let zone: string;
  const begin = async (change: Parameters<typeof newZone>[0] = {}) => {
    target = newTarget();
    database = await open(target);
    running = await RunningWatch.start(database, new SwitchableLease(FENCE));
    const rules = [{ ...newZone().rules[0]!, layers: ['rid' as const] }];
    ({ id: zone } = await running.zones.add(al, newZone({ rules, ...change })));
    await running.current.read();
  };
  beforeEach(() => begin());
  // Before the database closes.
  afterEach(() => running.close());

  const permit = (change: Partial<NewPermit> = {}): NewPermit => ({
    zone,
    name: 'Survey',
    layers: ['rid'],
    track: null,
    shape: null,
    vertical: null,
    start: formatInstant(STARTS),
    end: formatInstant(ENDS),
    expects_flight: true,
    ...change,
  });
  const make = async (change: Partial<NewPermit> = {}) => {
    const [made] = (await running.permits.add(al, { permits: [permit(change)], alarms: [] })).permits;
    await running.current.read();
    return made!;
  };
  const readNothing = async (from: UpstreamInstant, to: UpstreamInstant, reception?: Reception) => {
    for (let at = from; at <= to; at = addMs(at, STEP_MS)) await running.readNothing(at, reception);
  };
  const restart = async (at: UpstreamInstant) => {
    await running.close();
    running = await RunningWatch.startAt(await open(target), new SwitchableLease(FENCE), at);
  };
  const flightOf = async ({ id }: Permit) =>
    (await running.permits.list(al)).permits.find((each) => each.id === id)!.flight;
  const missed = async () =>
    (await new Alarms(database, () => DECIDED).list(al, {})).alarms.filter(
      ({ kind }) => kind === 'flight_not_received',
    );

  test('one that was not received while watched is an alarm, decided once after its end', async () => {
    const made = await make();
    await readNothing(WORLD_START, addMs(ENDS, 2 * MINUTE_MS));
    expect(await missed(), 'positions may still arrive').toEqual([]);
    await running.passAt(DECIDED);
    const watched = { watched_s: 120, of_s: 120, reason: null };
    const [alarm, ...others] = await missed();
    expect(others).toEqual([]);
    expect(alarm).toMatchObject({
      rule: { id: made.id },
      zone: { id: zone },
      opened_at: made.end,
      state: 'ended',
      ended: 'permit_over',
      expected: true,
      permit: { name: 'Survey', until: made.end },
      watched,
      track: null,
      evidence: [],
    });
    expect(await flightOf(made)).toEqual({ received_at: null, watched });
    await restart(addMs(DECIDED, MINUTE_MS));
    await running.passAt(addMs(DECIDED, HOUR_MS));
    expect(await missed()).toEqual([alarm]);
  });

  test('one that was received is none, also if the server restarts before its end', async () => {
    const made = await make();
    for (let step = 0; timeOf(step) < addMs(STARTS, MINUTE_MS); step++) await running.read(step);
    const flight = await flightOf(made);
    expect(flight?.received_at).not.toBeNull();
    expect(Date.parse(flight?.received_at ?? '')).toBeGreaterThanOrEqual(Number(STARTS));
    await restart(addMs(STARTS, MINUTE_MS));
    await readNothing(addMs(STARTS, MINUTE_MS), addMs(ENDS, 2 * MINUTE_MS));
    await running.passAt(addMs(DECIDED, 2 * MINUTE_MS));
    expect(await flightOf(made)).toEqual(flight);
    expect(await missed()).toEqual([]);
  });

  testOnce('the alarm states a stop of Lookout; a stop for all of the time raises none', async () => {
    const made = await make();
    await readNothing(WORLD_START, addMs(STARTS, MINUTE_MS));
    const later = await make({ name: 'Later', start: formatInstant(addMs(STARTS, MINUTE_MS + STEP_MS)) });
    await restart(addMs(ENDS, MINUTE_MS));
    await readNothing(addMs(ENDS, MINUTE_MS), addMs(ENDS, 2 * MINUTE_MS));
    await running.passAt(addMs(DECIDED, MINUTE_MS));
    expect((await missed()).map(({ watched }) => watched)).toEqual([{ watched_s: 60, of_s: 120, reason: 'stopped' }]);
    expect(await flightOf(made)).toMatchObject({ watched: { watched_s: 60 } });
    expect(await flightOf(later)).toEqual({
      received_at: null,
      watched: { watched_s: 0, of_s: 55, reason: 'stopped' },
    });
  });

  testOnce('time with a part of the receivers, and time before the permit was made, count as not watched', async () => {
    const made = await make();
    await readNothing(WORLD_START, addMs(ENDS, MINUTE_MS), partly);
    const late = await make({ name: 'Late' });
    await running.passAt(addMs(DECIDED, STEP_MS));
    expect(await flightOf(made)).toMatchObject({ watched: { watched_s: 0, reason: 'receivers_partly' } });
    expect(await flightOf(late)).toMatchObject({ watched: { watched_s: 0 } });
    expect(await missed()).toEqual([]);
  });

  testOnce('a track at an unknown height is received; the permit still does not cover it', async () => {
    const made = await make({ vertical: { field: 'altitude_m', floor_m: null, ceiling_m: 120 } });
    for (let step = 0; timeOf(step) < ENDS; step++) await running.read(step);
    expect((await flightOf(made))?.received_at).not.toBeNull();
    const { alarms } = await new Alarms(database, () => DECIDED).list(al, {});
    expect(alarms.some(({ expected }) => expected)).toBe(false);
  });

  testOnce('two servers decide it once: the writer alone', async () => {
    await make();
    await readNothing(WORLD_START, addMs(ENDS, 2 * MINUTE_MS));
    const [first, second] = [new SwitchableLease(undefined), new SwitchableLease(undefined)];
    await running.close();
    const servers = [
      await RunningWatch.startAt(database, first, ENDS),
      await RunningWatch.startAt(database, second, ENDS),
    ] as const;
    for (const server of servers) await server.passAt(DECIDED);
    expect(await missed(), 'no server is the writer').toEqual([]);
    first.fence = FENCE;
    second.fence = FENCE;
    await Promise.all(servers.map((server) => server.passAt(addMs(DECIDED, 4 * MINUTE_MS))));
    expect(await missed()).toHaveLength(1);
    await servers[1].close();
    running = servers[0];
  });

  testOnce('a withdrawn permit decides nothing; one that was ended decides its time until then', async () => {
    const withdrawn = await make();
    const ended = await make({ name: 'Ended' });
    await readNothing(WORLD_START, WORLD_START);
    await running.permits.end(al, withdrawn.id, 1);
    await running.current.read();
    await readNothing(addMs(WORLD_START, STEP_MS), addMs(STARTS, MINUTE_MS));
    await running.permits.end(al, ended.id, 1);
    await readNothing(addMs(STARTS, MINUTE_MS), ENDS);
    await running.passAt(DECIDED);
    expect((await missed()).map(({ rule, watched }) => [rule.id, watched?.of_s])).toEqual([[ended.id, 60]]);
  });

  testOnce('a changed permit keeps what was received, and compares its new volume from then on', async () => {
    const [here, away] = [8.5, 8.51].map((lon) => ({
      type: 'Circle' as const,
      centre: [lon, 47.4] as [number, number],
      radius_m: 500,
    }));
    const made = await make({ shape: here! });
    await readNothing(WORLD_START, addMs(STARTS, MINUTE_MS));
    const { zone: _, ...terms } = permit({ shape: away! });
    await running.permits.change(al, made.id, { ...terms, revision: 1 });
    await running.current.read();
    await readNothing(addMs(STARTS, MINUTE_MS), addMs(ENDS, 2 * MINUTE_MS));
    await running.passAt(DECIDED);
    expect((await missed()).map(({ watched }) => watched)).toEqual([{ watched_s: 60, of_s: 120, reason: null }]);
  });

  testOnce('the decision waits for history, where the zone has it read', async () => {
    await running.close();
    await begin({ history_requests_a_day: 10, rules: [{ ...newZone().rules[0]!, layers: ['rid'] }] });
    const made = await make();
    await readNothing(WORLD_START, addMs(STARTS, MINUTE_MS));
    for (let at = addMs(STARTS, MINUTE_MS); at <= ENDS; at = addMs(at, STEP_MS)) await running.passAt(at);
    await readNothing(addMs(ENDS, STEP_MS), addMs(ENDS, 2 * MINUTE_MS));
    await running.passAt(DECIDED);
    expect(await missed()).toEqual([]);
    await running.makeUp();
    expect((await flightOf(made))?.received_at, 'history has the crossing tracks').not.toBeNull();
    await running.passAt(addMs(DECIDED, 10 * MINUTE_MS));
    expect(await missed()).toEqual([]);
  });
});
