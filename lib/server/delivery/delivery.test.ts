import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newDestinationSchema } from '#lib/api/outputs/destinations.ts';
import { alarmSchema } from '#lib/api/watching/alarms.ts';
import { addMs, formatInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../database/database.ts';
import { patientSupervisor, strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { AlarmDays } from '../zones/alarms/alarm-days.ts';
import { AlarmStore } from '../zones/alarms/alarm-store.ts';
import { OPENED_AT } from '../zones/alarms/transition.fixture.ts';
import { Receiver } from './receiver.fixture.ts';
import { al, opened, RunningDelivery } from './running-delivery.fixture.ts';
import { SendFailure } from './senders/sender.ts';

const bea = { owner: 'bea', name: 'Bea', actor: 'Bea', isAdmin: false };

/** The lease of a new database. */
const LEASE = { fence: 0, onChange: () => () => undefined };

describeDatabases('delivery', ({ open, dialect, testOnce }) => {
  let database: Database;
  let running: RunningDelivery;
  let receiver: Receiver;
  let other: Receiver;
  beforeEach(async () => {
    database = await open();
    running = new RunningDelivery(database, LEASE);
    [receiver, other] = [await Receiver.open(), await Receiver.open()];
  });
  // Ends the delivery before the database closes.
  afterEach(async () => {
    await running.close();
    receiver.close();
    other.close();
  });
  const states = async (id: string) =>
    (await running.deliveries.ofDestination(id)).map(({ type, state }) => `${type} ${state}`).toReversed();
  const types = (of = receiver) => of.events.map(({ type }) => type.replace(/^lookout\.alarm\.|\.v1$/g, ''));

  test('sends an alarm as a signed CloudEvent', async () => {
    const { id, secret } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    await running.commit(of({ simulated: true }));
    await running.pass();
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    const event = new Webhook(secret).verify(body, headers as Record<string, string>) as (typeof receiver.events)[0];
    expect(event).toMatchObject({
      specversion: '1.0',
      source: 'https://lookout.example',
      type: 'lookout.alarm.opened.v1',
      id: headers['webhook-id'],
      data: { title: 'SIM · Drone a in Runway 14', more: 0, zones: 1, simulated: true, test: false, trial: false },
    });
    expect(event.data.body).toContain('\nDrone entered · ');
    expect(alarmSchema.parse(event.data.alarms[0]).zone.name).toBe('Runway 14');
    expect(event.data.link).toMatch(/^https:\/\/lookout\.example\/\?view=.*&at=2026-11-27T12:00:00Z/);
    expect(await states(id)).toEqual(['opened arrived']);
  });

  test('sends a flight that was not received to what its zone names, and only where that was chosen', async () => {
    const chosen = await running.addWebhook(receiver.url, { announces: ['flight_not_received'] });
    const other_ = await running.addWebhook(other.url);
    const { of } = await running.addZone({ notify: [chosen.id, other_.id] });
    const missed = of({
      key: 'missed',
      rule: '00000000-0000-4000-8000-00000000000a',
      kind: 'flight_not_received',
      ref: undefined,
      evidence: [],
      expected: true,
    });
    await running.commit(missed, { ...missed, type: 'ended', end: 'permit_over' });
    await running.pass();
    await running.pass(HOUR_MS);
    expect(types()).toEqual(['flight_not_received']);
    expect(receiver.events[0]?.data.title).toBe('Expected flight not received in Runway 14');
    expect(types(other)).toEqual([]);
  });

  testOnce('keeps the id over tries, and a receiver can tell a replayed or changed one', async () => {
    const { id, secret } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    await running.commit(of());
    receiver.answerStatus(503);
    await running.pass();
    receiver.answerStatus(204);
    await running.pass(MINUTE_MS);
    const [first, second] = receiver.received;
    expect(first?.headers['webhook-id']).toBe(second?.headers['webhook-id']);
    const verify = (headers: object, body = second?.body ?? '') =>
      new Webhook(secret).verify(body, { ...second?.headers, ...headers } as Record<string, string>);
    verify({});
    expect(() => verify({ 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 600) })).toThrow(/too old/);
    const sentAt = Number(second?.headers['webhook-timestamp']);
    expect(() => verify({ 'webhook-timestamp': String(sentAt - 1) })).toThrow(/signature/);
    expect(() => verify({ 'webhook-id': 'another' })).toThrow(/signature/);
    expect(() => verify({}, `${second?.body} `)).toThrow(/signature/);
  });

  testOnce('signs with all secrets while they rotate', async () => {
    const { id, secret: old } = await running.addWebhook(receiver.url);
    const { secret } = await running.destinations.makeSecret(id);
    await running.destinations.sendTrial(id, undefined);
    await running.pass();
    await running.destinations.dropSecrets(id);
    await running.destinations.sendTrial(id, undefined);
    await running.pass();
    const verifies = (key: string | null, index: number) => {
      const { body, headers } = receiver.received[index]!;
      try {
        return new Webhook(key ?? '').verify(body, headers as Record<string, string>) !== undefined;
      } catch {
        return false;
      }
    };
    expect([verifies(old, 0), verifies(secret, 0)]).toEqual([true, true]);
    expect([verifies(old, 1), verifies(secret, 1)]).toEqual([false, true]);
    expect(receiver.events[0]).toMatchObject({ type: 'lookout.alarm.trial.v1', data: { alarms: [], trial: true } });
  });

  test('a destination that is set to all alarms is sent each once, of every zone and whether a rule names it', async () => {
    const { id } = await running.addWebhook(receiver.url, { all_alarms: true });
    const named = await running.addZone({ notify: [id] }, 'Named');
    const unnamed = await running.addZone({}, 'Other');
    expect([named.zone.shared, unnamed.zone.shared]).toEqual([false, false]);
    await running.commit(named.of(), unnamed.of());
    await running.pass();
    const zonesOf = () => receiver.received.map(({ body }) => JSON.parse(body).data.alarms[0].zone.name);
    expect(new Set(zonesOf())).toEqual(new Set(['Named', 'Other']));
    expect(zonesOf()).toHaveLength(2);
    const [destination] = await running.destinations.list();
    const { revision, name, config, units, time_zone, announces, group_s, notices_an_hour } = destination!;
    const content = { revision, name, config, units, time_zone, announces, group_s, notices_an_hour, is_on: true };
    await running.destinations.change(id, { ...content, all_alarms: false, own_receivers: false });
    await running.commit(unnamed.of({ key: 'again' }));
    await running.pass();
    expect(zonesOf()).toHaveLength(2);
  });

  test('announces each transition once, in order, whatever is written again', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id, id] });
    const ended = of({ type: 'ended', end: 'left' });
    await running.commit(of(), of({ type: 'unknown', reason: 'upstream' }), of({ type: 'known' }));
    await running.pass();
    await running.commit(of(), ended);
    await running.pass();
    await running.commit(ended);
    await running.pass(MINUTE_MS);
    expect(types()).toEqual(['opened', 'unknown', 'known', 'ended']);
    expect(receiver.events.at(-1)?.data.alarms[0]).toMatchObject({ state: 'ended', ended: 'left' });
  });

  testOnce('announces an end after a minute, and neither it nor the return if the track is back by then', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    const at = (seconds: number) => addMs(OPENED_AT, seconds * SECOND_MS);
    const end = (seconds: number) => of({ type: 'ended', end: 'left', at: at(seconds) });
    await running.commit(of());
    await running.pass();
    for (const seconds of [10, 30, 50]) {
      await running.commit(end(seconds));
      await running.pass(10 * SECOND_MS);
      await running.commit(of({ type: 'returned', at: at(seconds + 10), count: 2 }));
      await running.pass(10 * SECOND_MS);
    }
    await running.commit(end(80), of({ type: 'returned', at: at(81), count: 3 }));
    await running.commit(of({ type: 'ended', end: 'left', at: at(90), count: 3 }));
    await running.pass(10 * SECOND_MS);
    expect(types()).toEqual(['opened']);
    await running.pass(2 * MINUTE_MS);
    expect(types()).toEqual(['opened', 'ended']);
    const [alarm] = (await running.alarms.list(al, {})).alarms;
    expect(alarm).toMatchObject({ state: 'ended', count: 3 });
  });

  testOnce('announces a return of which the end was announced, or the opening was covered', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    const permitted = { key: 'permitted', ref: 'b' };
    await running.commit(of(), of({ ...permitted, expected: true }));
    await running.pass();
    await running.commit(of({ type: 'ended', end: 'left' }));
    await running.pass(MINUTE_MS);
    await running.commit(of({ type: 'returned', at: addMs(OPENED_AT, 59_000), count: 2 }));
    await running.commit(of({ ...permitted, type: 'returned', at: addMs(OPENED_AT, 59_000), count: 2 }));
    await running.pass();
    expect(types()).toEqual(['opened', 'ended', 'reopened', 'reopened']);
  });

  testOnce('announces at once an end that no return reopens', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    await running.commit(of(), of({ type: 'ended', end: 'hours_over' }));
    await running.pass();
    expect(types()).toEqual(['opened', 'ended']);
  });

  testOnce('announces a suspended rule and its end once each, however often it is counted', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    const about = { key: 'too many', ref: undefined, kind: 'too_many', count: 301, evidence: [] } as const;
    await running.commit(of(about));
    await running.pass();
    for (const [index, count] of [400, 800, 350].entries())
      await running.commit(of({ ...about, count, type: 'counted', at: addMs(OPENED_AT, (index + 1) * MINUTE_MS) }));
    await running.pass(MINUTE_MS);
    await running.commit(of({ ...about, type: 'ended', end: 'resumed', at: addMs(OPENED_AT, HOUR_MS) }));
    await running.pass();
    expect(types()).toEqual(['opened', 'ended']);
    const [alarm] = (await running.alarms.list(al, {})).alarms;
    expect(alarm).toMatchObject({ kind: 'too_many', track: null, count: 301, state: 'ended', ended: 'resumed' });
  });

  testOnce('announces what history showed, and nothing that a permit or an acknowledgement covers', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    await running.commit(of({ key: 'permitted', expected: true }), of({ key: 'late', ref: 'b', found: 'history' }));
    await running.pass();
    const { alarms } = await running.alarms.list(al, {});
    const late = alarms.find(({ track }) => track === 'b');
    const until = new Date(Date.UTC(2026, 10, 28)).toISOString();
    await running.alarms.acknowledge(al, late?.id ?? '', { revision: 0, until, comment: '' });
    const again = { key: 'covered', ref: 'b', openedAt: running.now, at: running.now };
    await running.commit(of(again), of({ key: 'permitted', expected: true, type: 'ended', end: 'left' }));
    await running.commit(of({ ...again, type: 'ended', end: 'left' }));
    await running.commit(of({ key: 'late', ref: 'b', type: 'ended', end: 'left', expected: true }));
    await running.pass(MINUTE_MS);
    expect(types()).toEqual(['opened', 'ended']);
    expect(receiver.events.map(({ data }) => data.alarms[0].track)).toEqual(['b', 'b']);
    expect(receiver.events[0]?.data.alarms[0].found_later).toBe(2);
  });

  testOnce('follows a rule whose destinations changed, without ending the alarm', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of, zone } = await running.addZone({});
    await running.commit(of());
    await running.pass();
    await running.changeRule(zone, { notify: [id] });
    await running.commit(of({ type: 'ended', end: 'left' }));
    await running.pass(MINUTE_MS);
    expect(types()).toEqual(['ended']);
  });

  testOnce('refuses a rule with a destination that does not exist', async () => {
    const missing = '0b9a0b6c-2b1f-4a53-9d0f-2b1a4c7d9e11';
    await expect(running.addZone({ notify: [missing] })).rejects.toThrow(/there is no destination/);
    const escalate = { destination: missing, after_s: 60 };
    await expect(running.addZone({ escalate })).rejects.toThrow(/there is no destination/);
  });

  testOnce(
    'keeps a rule that names a destination which was removed since, and takes no other that is gone',
    async () => {
      const [one, two] = [await running.addWebhook(receiver.url), await running.addWebhook(`${receiver.url}/two`)];
      const { zone } = await running.addZone({ notify: [one.id], escalate: { destination: one.id, after_s: 60 } });
      await running.destinations.remove(one.id);
      await running.destinations.remove(two.id);
      const changed = await running.changeRule(zone, { hold_s: 20 });
      expect(changed).toMatchObject({ revision: 2, rules: [{ hold_s: 20, notify: [one.id] }] });
      await expect(running.changeRule(changed, { notify: [one.id, two.id] })).rejects.toThrow(
        /there is no destination/,
      );
    },
  );

  testOnce('groups alarms of a zone', async () => {
    const { id } = await running.addWebhook(receiver.url, { group_s: 10 });
    const one = await running.addZone({ notify: [id] });
    const two = await running.addZone({ notify: [id] }, 'Runway 32');
    await running.commit(...opened(one.of, 30), ...opened(two.of, 1, 50));
    await running.pass();
    expect(receiver.received).toEqual([]);
    await running.commit(...opened(one.of, 1, 100));
    await running.pass(9 * SECOND_MS);
    await running.pass(SECOND_MS);
    expect(receiver.events.map(({ data }) => [data.alarms.length, data.more])).toEqual([
      [20, 11],
      [1, 0],
    ]);
  });

  testOnce('groups nothing unasked when the clock of a new writer is behind', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    receiver.answer = (response) => void response.writeHead(503).end();
    await running.commit(...opened(of, 1));
    await running.pass(5 * SECOND_MS);
    await running.commit(...opened(of, 3, 10));
    await running.pass(-2 * SECOND_MS);
    expect(await states(id)).toEqual(Array(4).fill('opened waiting'));
  });

  testOnce('sends what exceeds the budget of an hour as one summary, and reports it as grouped', async () => {
    const { id } = await running.addWebhook(receiver.url, { notices_an_hour: 3 });
    const { of } = await running.addZone({ notify: [id] });
    await running.commit(...opened(of, 10));
    await running.pass();
    await running.commit(...opened(of, 35, 10));
    await running.pass(MINUTE_MS);
    expect(types()).toEqual(['opened', 'opened', 'opened']);
    await running.pass(HOUR_MS);
    expect(types()).toEqual(['opened', 'opened', 'opened', 'summary']);
    expect(receiver.events[3]?.data).toMatchObject({ more: 22, zones: 1 });
    const all = await states(id);
    expect(all.filter((state) => state === 'opened grouped')).toHaveLength(42);
    const [alarm] = (await running.alarms.list(al, { text: '40' })).alarms;
    const ofAlarm = await running.deliveries.ofAlarm(al, alarm?.id ?? '');
    expect(ofAlarm.map(({ type, state }) => `${type} ${state}`).sort()).toEqual(['opened grouped', 'summary arrived']);
    await expect(running.deliveries.ofAlarm(bea, alarm?.id ?? '')).rejects.toThrow(/no such alarm/);
  });

  describe('escalation', () => {
    const AFTER_S = 300;
    const start = async () => {
      const second = await running.addWebhook(other.url);
      const zone = await running.addZone({ escalate: { destination: second.id, after_s: AFTER_S } });
      await running.commit(zone.of());
      await running.pass();
      const [alarm] = (await running.alarms.list(al, {})).alarms;
      return { ...zone, alarmId: alarm?.id ?? '' };
    };

    testOnce('is sent once if no operator acknowledges, also after the end', async () => {
      const { of } = await start();
      await running.commit(of({ type: 'ended', end: 'left' }));
      await running.pass((AFTER_S - 1) * SECOND_MS);
      expect(types(other)).toEqual([]);
      await running.pass(SECOND_MS);
      await running.pass(HOUR_MS);
      expect(types(other)).toEqual(['escalated']);
    });

    testOnce('is not sent for an acknowledged or closed alarm', async () => {
      const { alarmId } = await start();
      await running.alarms.acknowledge(al, alarmId, { revision: 0, until: null, comment: '' });
      await running.pass(HOUR_MS);
      expect(types(other)).toEqual([]);
    });

    testOnce(
      'is not sent for an alarm that a permit covers since; beyond the permit, the alarm is announced again',
      async () => {
        const { of } = await start();
        await running.commit(of({ type: 'permitted', at: addMs(OPENED_AT, SECOND_MS), expected: true }));
        await running.pass(HOUR_MS);
        expect(types(other)).toEqual([]);
        await running.commit(of({ type: 'reopened', at: addMs(OPENED_AT, HOUR_MS), count: 2 }));
        await running.pass();
        await running.pass(HOUR_MS);
        expect(types(other)).toEqual(['escalated']);
      },
    );

    testOnce('is sent where the acknowledgement has expired', async () => {
      const { alarmId } = await start();
      await running.alarms.acknowledge(al, alarmId, { revision: 0, until: '2026-11-27T12:01:00Z', comment: '' });
      await running.pass(HOUR_MS);
      expect(types(other)).toEqual(['escalated']);
    });
  });

  testOnce('backs off the whole destination, and delays no other one', async () => {
    const slow = await running.addWebhook(receiver.url);
    const fine = await running.addWebhook(other.url);
    const { of } = await running.addZone({ notify: [slow.id, fine.id] });
    receiver.answerStatus(503);
    await running.commit(...opened(of, 100));
    // PostgreSQL's notice may start a pass before the next second.
    const dueAt = [running.now, addMs(running.now, SECOND_MS)].map(formatInstant);
    for (let second = 0; second < 60; second++) await running.pass(SECOND_MS);
    expect(other.received).toHaveLength(100);
    // At 0, 5, 15 and 35 s: full jitter takes at most twice the wait before.
    expect(receiver.received).toHaveLength(4);
    const [shown] = (await running.destinations.list()).filter(({ id }) => id === slow.id);
    expect(shown).toMatchObject({
      waiting: 100,
      waiting_since: expect.toBeOneOf(dueAt),
      problem: { text: 'It answered with status 503.' },
    });
    receiver.answerStatus(204);
    await running.pass(HOUR_MS);
    expect((await running.destinations.list()).map((each) => each.waiting_since)).toEqual([null, null]);
    expect((await states(slow.id)).every((state) => state === 'opened arrived')).toBe(true);
    expect(new Set(receiver.events.map(({ id }) => id)).size).toBe(100);
  });

  testOnce('waits as long as the destination asks', async () => {
    const { id } = await running.addWebhook(receiver.url);
    receiver.answerStatus(429, { 'retry-after': '600' });
    await running.destinations.sendTrial(id, undefined);
    await running.pass();
    await running.pass(599 * SECOND_MS);
    expect(receiver.received).toHaveLength(1);
    await running.pass(SECOND_MS);
    expect(receiver.received).toHaveLength(2);
  });

  testOnce('sets a notice aside when the server fails at it five times, and tries it for a day', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    receiver.answer = (response, { body }) =>
      void response.writeHead(JSON.parse(body).data.alarms[0].track === '0' ? 500 : 204).end();
    await running.commit(...opened(of, 3));
    await running.pass();
    for (let tries = 1; tries < 5; tries++) {
      expect(await states(id)).toEqual(Array(3).fill('opened waiting'));
      await running.pass(2 * MINUTE_MS);
    }
    expect(await states(id)).toEqual(['opened waiting', 'opened arrived', 'opened arrived']);
    await running.commit(...opened(of, 1, 3));
    await running.pass();
    expect(await states(id)).toEqual(['opened waiting', ...Array(3).fill('opened arrived')]);
    const tried = receiver.received.length;
    await running.pass(15 * MINUTE_MS);
    expect(receiver.received.length).toBe(tried + 1);
    await running.pass(DAY_MS);
    expect(await states(id)).toEqual(['opened given_up', ...Array(3).fill('opened arrived')]);
  });

  testOnce('tries everything at once after a change of the destination', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    receiver.answerStatus(403);
    await running.commit(...opened(of, 2));
    for (let tries = 0; tries < 6; tries++) await running.pass(2 * MINUTE_MS);
    receiver.answerStatus(204);
    const revision = (await running.destinations.list())[0]?.revision ?? 0;
    const body = newDestinationSchema.parse({ name: 'Hook', config: { kind: 'webhook', url: receiver.url } });
    await running.destinations.change(id, { ...body, revision });
    await running.pass();
    expect(await states(id)).toEqual(Array(2).fill('opened arrived'));
  });

  testOnce('sets a notice aside when Lookout itself fails at it', async () => {
    const supervisor = patientSupervisor();
    const sent: unknown[] = [];
    await running.close();
    const open = () => ({
      async send({ alarms }: { readonly alarms: readonly { readonly track: string | null }[] }) {
        if (alarms[0]?.track === '0') throw new TypeError('a defect');
        sent.push(alarms[0]?.track);
      },
      close: async () => undefined,
    });
    running = new RunningDelivery(database, LEASE, { open }, supervisor);
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    await running.commit(...opened(of, 3));
    for (let tries = 0; tries < 5; tries++) await running.pass(2 * MINUTE_MS);
    expect(sent).toEqual(['1', '2']);
    expect(supervisor.failures.get('delivery')).toBe(5);
  });

  testOnce('a recipient that is refused all day delays no other notice, and costs few tries', async () => {
    const sent: string[] = [];
    await running.close();
    running = new RunningDelivery(database, LEASE, {
      open: () => ({
        async send({ alarms }) {
          sent.push(alarms[0]?.track ?? '');
          if (alarms[0]?.track === '0') throw new SendFailure('partly', 'The mail server refuses b@example.org.');
        },
        close: async () => undefined,
      }),
    });
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    await running.commit(...opened(of, 3));
    await running.pass();
    expect(sent).toEqual(['0', '1', '2']);
    await running.pass(5 * SECOND_MS);
    expect(sent).toEqual(['0', '1', '2', '0']);
    for (let minute = 0; minute < 24 * 60; minute++) await running.pass(MINUTE_MS);
    expect(await states(id)).toEqual(['opened waiting', 'opened arrived', 'opened arrived']);
    expect(sent.length).toBeLessThan(50);
    await running.pass(HOUR_MS);
    expect(await states(id)).toEqual(['opened given_up', 'opened arrived', 'opened arrived']);
    expect(running.audited).toMatchObject([{ kind: 'delivery_given_up', notices: 1 }]);
  });

  testOnce('gives up after a day, with an entry in the audit log', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    receiver.answerStatus(500);
    await running.commit(...opened(of, 5));
    await running.pass();
    await running.pass(DAY_MS - MINUTE_MS);
    expect(await states(id)).toEqual(Array(5).fill('opened waiting'));
    await running.pass(HOUR_MS);
    expect(await states(id)).toEqual(Array(5).fill('opened given_up'));
    expect(running.audited).toMatchObject([{ kind: 'delivery_given_up', notices: 5 }]);
  });

  test.runIf(dialect === 'sqlite')('sends a notice once that arrived while the database failed', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    const rename = (from: 'destination_health', to: string) =>
      database.query.schema.alterTable(from).renameTo(to).execute();
    receiver.answer = async (response) => {
      await rename('destination_health', 'away');
      response.writeHead(204).end();
    };
    await running.commit(of());
    await running.pass();
    await running.pass();
    expect(await states(id).catch(() => 'unreadable')).toBe('unreadable');
    await rename('away' as never, 'destination_health');
    await running.pass();
    expect(receiver.received).toHaveLength(1);
    expect(await states(id)).toEqual(['opened arrived']);
  });

  testOnce.each([301, 400, 401, 403, 404, 405, 409, 422, 500, 503, 522])(
    'a status %d that comes once delays the alarm, and loses none',
    async (status) => {
      const { id } = await running.addWebhook(receiver.url);
      const { of } = await running.addZone({ notify: [id] });
      let tries = 0;
      receiver.answer = (response) => void response.writeHead(tries++ === 0 ? status : 204).end();
      await running.commit(...opened(of, 3));
      await running.pass();
      expect(await states(id)).toEqual(Array(3).fill('opened waiting'));
      expect((await running.deliveries.ofDestination(id)).at(-1)?.problem).toContain(`status ${status}`);
      await running.pass(5 * SECOND_MS);
      expect(await states(id)).toEqual(Array(3).fill('opened arrived'));
      expect(receiver.events.map(({ data }) => data.alarms[0].track)).toEqual(['0', '0', '1', '2']);
      expect(running.audited).toEqual([]);
    },
  );

  testOnce('a sign-in page with status 200 is no arrival', async () => {
    const { id } = await running.addWebhook(receiver.url);
    receiver.answer = (response) => void response.writeHead(200).end('<!doctype html><title>Sign in</title>');
    await running.destinations.sendTrial(id, undefined);
    await running.pass();
    const [trial] = await running.deliveries.ofDestination(id);
    expect(trial).toMatchObject({ state: 'waiting', problem: expect.stringContaining('“Sign in”') });
    receiver.answerStatus(200);
    await running.pass(5 * SECOND_MS);
    expect(await states(id)).toEqual(['trial arrived']);
  });

  testOnce('a notice that is always refused is tried for its day, and delays no other', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    receiver.answer = (response, { body }) =>
      void response.writeHead(JSON.parse(body).data.alarms[0].track === '1' ? 422 : 204, { 'retry-after': '0' }).end();
    await running.commit(...opened(of, 3));
    for (let minute = 0; minute < 5; minute++) await running.pass(minute * MINUTE_MS);
    expect(await states(id)).toEqual(['opened arrived', 'opened waiting', 'opened arrived']);
    await running.pass(DAY_MS);
    expect(await states(id)).toEqual(['opened arrived', 'opened given_up', 'opened arrived']);
    expect(running.audited).toMatchObject([{ kind: 'delivery_given_up', notices: 1 }]);
  });

  testOnce(
    'a destination that always refuses costs few requests, and takes all notices soon after it is mended',
    async () => {
      const { id } = await running.addWebhook(receiver.url);
      const { of } = await running.addZone({ notify: [id] });
      receiver.answerStatus(404);
      await running.commit(...opened(of, 200));
      for (let minute = 0; minute < 12 * 60; minute++) await running.pass(MINUTE_MS);
      expect(receiver.received.length).toBeLessThan(600);
      receiver.received.length = 0;
      receiver.answerStatus(204);
      for (let minute = 0; minute < 16; minute++) await running.pass(MINUTE_MS);
      expect((await states(id)).every((state) => state === 'opened arrived')).toBe(true);
      expect(receiver.received).toHaveLength(200);
    },
  );

  testOnce('waits up to an hour for a destination that asks for it, also where a notice is set aside', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    receiver.answerStatus(500, { 'retry-after': '86400' });
    await running.commit(...opened(of, 2));
    for (let tries = 0; tries < 6; tries++) {
      await running.pass(tries === 0 ? 0 : HOUR_MS);
      expect(receiver.received).toHaveLength(tries + 1);
    }
    expect(receiver.events.at(-1)?.data.alarms[0].track).toBe('0');
  });

  test('gives up a notice whose alarms are deleted, without a word about the destination', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    receiver.answerStatus(503);
    await running.commit(of());
    await running.pass();
    receiver.answerStatus(204);
    await database.change((query) => query.deleteFrom('delivery_alarm').execute());
    await running.pass(MINUTE_MS);
    expect(await running.deliveries.ofDestination(id)).toMatchObject([
      { state: 'given_up', problem: 'Its alarms are deleted.' },
    ]);
    expect(receiver.received).toHaveLength(1);
  });

  testOnce('switches a destination off that is gone, and says so in log, audit and list', async () => {
    const logged: unknown[] = [];
    const log = { warn: (...entry: unknown[]) => void logged.push(entry), error() {} };
    await running.close();
    running = new RunningDelivery(database, LEASE, { log });
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    receiver.answerStatus(410);
    await running.commit(...opened(of, 3));
    await running.pass();
    await running.commit(...opened(of, 3, 3));
    await running.pass(HOUR_MS);
    expect(receiver.received).toHaveLength(1);
    expect(await states(id)).toEqual(Array(3).fill('opened given_up'));
    expect(running.audited.map(({ kind }) => kind)).toEqual(['destination_switched_off', 'delivery_given_up']);
    expect(logged).toEqual([
      [{ destination: expect.any(String), why: 'It answered with status 410.' }, 'a destination was switched off'],
    ]);
    const { destinations } = await running.destinations.report();
    expect(destinations).toMatchObject([
      { is_on: false, switched_off: { reason: 'It answered with status 410.' }, waiting: 0, given_up: 3 },
    ]);
  });

  testOnce('gives up what waits for a removed destination, and says why', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    receiver.answerStatus(500);
    await running.commit(of());
    await running.pass();
    await running.destinations.remove(id);
    await running.pass(HOUR_MS);
    expect(receiver.received).toHaveLength(1);
    expect(await running.deliveries.ofDestination(id)).toMatchObject([
      { state: 'given_up', problem: 'The destination was removed.' },
    ]);
    expect(await database.query.selectFrom('destination').select(['secrets', 'config']).execute()).toEqual([
      { secrets: '[]', config: '{}' },
    ]);
  });

  testOnce('puts the text of a zone into no header and no address', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of, id: zone } = await running.addZone({ notify: [id] });
    // The API refuses such names.
    const name = 'Gate\r\nx-evil: 1\r\n\r\nPOST /evil HTTP/1.1';
    await database.query.updateTable('zone_revision').set({ name }).where('zone_id', '=', zone).execute();
    await running.commit(of());
    await running.pass();
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]).toMatchObject({ path: '/hook' });
    expect(receiver.received[0]?.headers['x-evil']).toBeUndefined();
    expect(receiver.events[0]?.data.alarms[0].zone.name).toBe(name);
  });

  test('is forgotten with the days of the alarm log', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    await running.commit(of(), of({ type: 'ended', end: 'left' }));
    await running.pass(MINUTE_MS);
    await running.destinations.remove(id);
    const prune = async () => {
      const lease = { fence: 0, onChange: () => () => undefined };
      const days = new AlarmDays({
        database,
        lease,
        days: 30,
        part: strictSupervisor().part('cleaning'),
        now: () => running.now,
      });
      await days.prune();
      days.close();
    };
    await prune();
    expect(await states(id)).toEqual(['opened arrived', 'ended arrived']);
    running.now = addMs(running.now, 31 * DAY_MS);
    await prune();
    const tables = ['delivery', 'delivery_alarm', 'destination', 'alarm'] as const;
    const rows = await Promise.all(tables.map((table) => database.query.selectFrom(table).selectAll().execute()));
    expect(rows.flat()).toEqual([]);
  });

  test.runIf(dialect === 'postgres')('ends where another server is the writer', async () => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    await database.query
      .updateTable('writer' as never)
      .set({ fence: 7 } as never)
      .execute();
    // By the other: an alarm of its own would be announced before it lost the lease.
    const decided = { rows: [], stretches: [], madeUp: [], at: running.now };
    await new AlarmStore(database).commit({ ...decided, transitions: [of()] }, 7);
    await running.pass();
    expect(receiver.received).toEqual([]);
  });
});
