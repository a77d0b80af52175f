import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../database/database.ts';
import { patientSupervisor } from '../supervision/supervisor.fixture.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import { Receiver } from './receiver.fixture.ts';
import { RunningDelivery } from './running-delivery.fixture.ts';

/** The lease of a new database. */
const LEASE = { fence: 0, onChange: () => () => undefined };

const BREAKS = [
  ['a table of the outbox is gone', 'delivery_cursor rename to gone', 'gone rename to delivery_cursor'],
  [
    'a column of put-off notices is gone',
    'later_notice rename column due_ms to gone',
    'later_notice rename column gone to due_ms',
  ],
  [
    'a column of the queue is gone',
    'delivery rename column aside_until_ms to gone',
    'delivery rename column gone to aside_until_ms',
  ],
  ['a table of the queue is gone', 'delivery_alarm rename to gone', 'gone rename to delivery_alarm'],
] as const;

describeDatabases('a delivery whose database does not fit', ({ open }) => {
  let database: Database;
  let supervisor: Supervisor;
  let running: RunningDelivery;
  let receiver: Receiver;
  beforeEach(async () => {
    database = await open();
    supervisor = patientSupervisor();
    running = new RunningDelivery(database, LEASE, {}, supervisor);
    receiver = await Receiver.open();
  });
  afterEach(async () => {
    await running.close();
    receiver.close();
  });
  const alter = (what: string) => sql.raw(`alter table ${what}`).execute(database.query);
  const problems = async () => (await running.destinations.list()).map(({ problem }) => problem?.text);

  test.each(BREAKS)('shows that %s, loses no notice, and sends it once that is mended', async (_, breaks, mends) => {
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    await running.pass();
    await alter(breaks);
    await running.commit(of());
    for (let pass = 0; pass < 3; pass++) await running.pass(MINUTE_MS);
    expect(await problems()).toEqual([
      'Lookout cannot send, because a table of its database is missing or does not fit. Its log says more.',
    ]);
    expect(supervisor.recent).toMatchObject([{ part: 'delivery', reason: 'database_damaged' }]);
    expect(receiver.received).toEqual([]);
    await alter(mends);
    await running.pass(MINUTE_MS);
    expect(receiver.events.map(({ type }) => type)).toEqual(['lookout.alarm.opened.v1']);
    expect(await problems()).toEqual([undefined]);
    expect(supervisor.failing).toEqual([]);
  });

  test('shows a sender that fails by a defect, between its tries too, until a notice arrives', async () => {
    await running.close();
    const sent: string[] = [];
    let isBroken = true;
    const open = () => ({
      async send() {
        if (isBroken) throw new TypeError('not a function');
        sent.push('sent');
      },
      close: async () => undefined,
    });
    running = new RunningDelivery(database, LEASE, { open }, supervisor);
    const { id } = await running.addWebhook(receiver.url);
    const { of } = await running.addZone({ notify: [id] });
    await running.commit(of());
    for (let pass = 0; pass < 5; pass++) {
      await running.pass();
      expect(await problems()).toEqual(['Lookout cannot send, because it has a defect. Its log says more.']);
      expect(supervisor.failing).toMatchObject([{ part: 'delivery', of: id, reason: 'defect' }]);
    }
    isBroken = false;
    await running.pass(MINUTE_MS);
    expect(sent).toEqual(['sent']);
    expect(await problems()).toEqual([undefined]);
    expect(supervisor.failing).toEqual([]);
  });

  test('shows a failing part at the kinds of destinations that it sends to', async () => {
    await running.add({ kind: 'heartbeat', url: receiver.url });
    await running.add({ kind: 'mqtt', url: 'mqtt://broker.example' });
    await running.addWebhook(receiver.url);
    const shownBy = async (name: 'delivery' | 'heartbeat' | 'zone_states' | 'audit') => {
      const part = supervisor.part(name);
      part.failed(new Error('broken'));
      const shown = (await running.destinations.list()).filter(({ problem }) => problem !== null);
      part.worked();
      return shown.map(({ config: { kind } }) => kind).sort();
    };
    expect(await shownBy('delivery')).toEqual(['mqtt', 'webhook']);
    expect(await shownBy('heartbeat')).toEqual(['heartbeat']);
    expect(await shownBy('zone_states')).toEqual(['mqtt']);
    expect(await shownBy('audit')).toEqual([]);
  });

  test('shows the failure of one queue at its destination alone', async () => {
    const other = await Receiver.open();
    const [{ id }] = [await running.addWebhook(receiver.url), await running.addWebhook(other.url)];
    await running.pass();
    const part = supervisor.part('delivery', id);
    part.failed(new TypeError('not a function'));
    const all = await running.destinations.list();
    expect(all.filter(({ problem }) => problem).map((destination) => destination.id)).toEqual([id]);
    other.close();
  });
});
