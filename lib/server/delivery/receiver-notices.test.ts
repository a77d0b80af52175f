import { beforeEach, expect, test } from 'vitest';
import type { Receiver as OwnReceiver, ReceiversAnswer } from '#lib/api/receivers/receivers-answer.ts';
import { addMs, formatInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import { memoryDatabase } from '../database/memory-database.fixture.ts';
import { ONLY_SERVER } from '../database/writer-lease.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { Receiver } from './receiver.fixture.ts';
import { ReceiverNotices } from './receiver-notices.ts';
import { RunningDelivery } from './running-delivery.fixture.ts';

let database: Database;
let running: RunningDelivery;
let hook: Receiver;
let notices: ReceiverNotices;
let hill: Partial<OwnReceiver>;
let failure: ReceiversAnswer['failure'];
beforeEach(async () => {
  database = await memoryDatabase();
  running = new RunningDelivery(database);
  hook = await Receiver.open();
  notices = open();
  [hill, failure] = [{}, null];
  return async () => {
    await notices.close();
    await running.close();
    await database.close();
    hook.close();
  };
});

const before = (ms: number) => formatInstant(addMs(running.now, -ms));

function receivers(): ReceiversAnswer {
  const at = before(0);
  const feed: OwnReceiver = {
    id: 'hill',
    url: 'push://hill',
    aggregates: false,
    simulated: false,
    state: 'receiving',
    since: before(HOUR_MS),
    problem: null,
    last_heard_at: at,
    last_position_at: at,
    positions_per_minute: 9,
    refused: {},
    not_served: {},
    clock_error_ms: 0,
    clock_is_used: true,
    deaf: null,
    ...hill,
  };
  return { as_of: at, status: { at, feeds: [feed], problems: [], clock_set: null, past: null }, failure };
}

const open = () =>
  new ReceiverNotices({
    database,
    lease: ONLY_SERVER,
    now: () => running.now,
    receivers: { read: async () => receivers() },
    part: strictSupervisor().part('delivery'),
    changed: () => undefined,
  });

/** The titles that arrive after a time. */
async function titlesAfter(ms: number, is: Partial<OwnReceiver>): Promise<readonly string[]> {
  hill = is;
  hook.received.length = 0;
  await running.pass(ms);
  await notices.pass();
  await running.pass();
  return hook.events.map(({ data }) => data.title);
}
const DEAF = { deaf: { share: 0.354, since: '2026-11-24T14:00:00.000Z' } };

test('a receiver that is deaf, lost or wrong in its time is announced once, and again when it is well', async () => {
  await running.addWebhook(hook.url, { own_receivers: true, time_zone: 'Europe/Zurich' });
  expect(await titlesAfter(0, {})).toEqual([]);
  expect(await titlesAfter(MINUTE_MS, DEAF)).toEqual(['Receiver hill: hears 35% of what it usually does']);
  const [event] = hook.events;
  expect(event).toMatchObject({ type: 'lookout.receiver.v1', data: { alarms: [], trial: false } });
  expect(event.data.receiver).toMatchObject({ receiver: 'hill', trouble: 'deaf', began: true, share: 0.354 });
  expect(event.data.body).toContain('Since 2026-11-24 15:00:00 Europe/Zurich (14:00:00Z)');
  expect(event.data.body).toContain('Check its antenna, cable and amplifier.');
  expect(await titlesAfter(20 * MINUTE_MS, DEAF)).toEqual([]);
  expect(await titlesAfter(MINUTE_MS, {})).toEqual(['Receiver hill: hears as usual again']);

  const lost = { state: 'lost', problem: 'nothing listens there' } as const;
  expect(await titlesAfter(MINUTE_MS, { ...lost, since: before(MINUTE_MS) })).toEqual([]);
  expect(await titlesAfter(MINUTE_MS, { ...lost, since: before(6 * MINUTE_MS) })).toEqual(['Receiver hill: lost']);
  expect(hook.events[0]?.data.body).toContain('Cause: nothing listens there');
  expect(await titlesAfter(20 * MINUTE_MS, { clock_is_used: false })).toEqual([
    'Receiver hill: back',
    'Receiver hill: its clock is wrong',
  ]);
  expect(hook.events[0]?.data.receiver, 'back long before the notice').toMatchObject({ since: before(HOUR_MS) });
  expect(hook.events[1]?.data.receiver).toMatchObject({ since: null });
});

test('neither a restart nor a service that is away announces anything, and a receiver that comes and goes little', async () => {
  await running.addWebhook(hook.url, { own_receivers: true });
  expect(await titlesAfter(0, DEAF)).toHaveLength(1);
  await notices.close();
  notices = open();
  expect(await titlesAfter(MINUTE_MS, DEAF)).toEqual([]);
  failure = { cause: 'not_running', since: before(0) };
  expect(await titlesAfter(HOUR_MS, {})).toEqual([]);
  failure = null;
  expect(await titlesAfter(0, {})).toHaveLength(1);
  expect(await titlesAfter(MINUTE_MS, DEAF)).toEqual([]);
  expect(await titlesAfter(15 * MINUTE_MS, DEAF)).toHaveLength(1);
});

test('only destinations that take it receive it', async () => {
  await running.addWebhook(hook.url);
  await running.addWebhook(`${hook.url}/off`, { own_receivers: true, is_on: false });
  expect(await titlesAfter(0, DEAF)).toEqual([]);
});
