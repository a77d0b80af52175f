import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { runs } from '#testing/budget.ts';
import { PushService } from '#testing/push-service.ts';
import { describePostgres } from '#testing/test-databases.ts';
import type { Database } from '../database/database.ts';
import { memoryFolder } from '../database/memory-folder.fixture.ts';
import { type DatabaseTarget, openDatabase } from '../database/open-database.ts';
import { digest } from '../sign-in/digest.ts';
import { Sessions } from '../sign-in/sessions.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { Watcher } from '../zones/watch/watcher-process.fixture.ts';
import { Receiver } from './receiver.fixture.ts';
import { RunningDelivery } from './running-delivery.fixture.ts';

const FILE = fileURLToPath(new URL('./deliver-until-killed.fixture.ts', import.meta.url));
const KILLS = runs(8);
const FAILOVERS = runs(4);
const ALARMS_A_STEP = 5;

/** @param overlaps the writer before goes on until the next one writes */
async function deliverThroughKills(target: DatabaseTarget, kills: number, overlaps: boolean) {
  const receiver = await Receiver.open();
  receiver.answer = (response) => void response.writeHead(Math.random() < 0.1 ? 503 : 204).end();
  const database = await openDatabase(target);
  const running = new RunningDelivery(database);
  const { id } = await running.addWebhook(receiver.url);
  const { zone } = await running.addZone({ notify: [id] });
  const service = await PushService.open();
  service.answer = (response) => void response.writeHead(Math.random() < 0.1 ? 503 : 201).end();
  service.key = (await running.push.of('al')).key;
  vi.stubEnv('NODE_EXTRA_CA_CERTS', service.certificateFile);
  onTestFinished(() => void vi.unstubAllEnvs());
  const browser = await switchOnPush(database, running, service);
  await running.close();
  await database.close();
  const start = (fence: number) =>
    Watcher.ready([JSON.stringify(target), fence, zone.id, zone.rules[0]?.id ?? ''], FILE);
  let step = 0;
  let before: Watcher | undefined;
  for (let fence = 1; fence <= kills; fence++) {
    const watcher = await start(fence);
    if (before) step = (before.lastStep ?? step - 1) + 1;
    await watcher.start(step, 1_000_000);
    await before?.kill();
    before = undefined;
    await watcher.during(50 + Math.random() * 400);
    if (overlaps) before = watcher;
    else {
      await watcher.kill();
      step = (watcher.lastStep ?? step - 1) + 1;
    }
  }
  const last = await start(kills + 1);
  if (before) step = (before.lastStep ?? step - 1) + 1;
  await last.start(step, step + 5);
  await before?.kill();
  await last.end();
  const after = await openDatabase(target);
  const deliveriesOf = (to: string) =>
    after.query
      .selectFrom('delivery')
      .innerJoin('delivery_alarm', 'delivery_alarm.delivery_id', 'delivery.id')
      .select(['delivery.state', 'delivery.type', 'delivery_alarm.alarm_id'])
      .where('delivery.destination_id', '=', to)
      .execute();
  const [deliveries, pushes] = [await deliveriesOf(id), await deliveriesOf(browser)];
  await after.close();
  receiver.close();
  service.close();
  const tags = new Set(service.pushed.map(({ tag }) => tag));
  const single = pushes.filter(({ type }) => type === 'opened');
  const byAlarm = Map.groupBy(receiver.events, ({ data }) => data.alarms[0].id as string);
  const idsOf = [...byAlarm.values()].map((events) => new Set(events.map((event) => event.id)).size);
  return {
    alarms: (step + 6) * ALARMS_A_STEP,
    arrived: byAlarm.size,
    notices: deliveries.length,
    unsent: deliveries.filter(({ state }) => state !== 'arrived').length,
    mostIds: Math.max(...idsOf),
    pushed: new Set(single.map(({ alarm_id }) => alarm_id)).size,
    unpushed: pushes.filter(({ state }) => state === 'waiting').length,
    lostPushes: single.filter(({ state, alarm_id }) => state === 'arrived' && !tags.has(alarm_id)).length,
    refused: service.refused,
  };
}

function expectNoneLost({
  alarms,
  arrived,
  notices,
  unsent,
  mostIds,
  ...push
}: Awaited<ReturnType<typeof deliverThroughKills>>) {
  expect(alarms).toBeGreaterThan(30);
  expect({ arrived, notices, unsent, mostIds }).toEqual({ arrived: alarms, notices: alarms, unsent: 0, mostIds: 1 });
  expect(push).toEqual({ pushed: alarms, unpushed: 0, lostPushes: 0, refused: [] });
}

/** @returns the id of the subscription */
async function switchOnPush(database: Database, running: RunningDelivery, service: PushService): Promise<string> {
  const sessions = new Sessions(database, () => localInstant(Date.now()), strictSupervisor().part('sessions'));
  const by = { source: 'password', operatorId: 'al', credential: 'hash' } as const;
  const session = await sessions.open(by, { browser: '', address: '', isKept: false });
  await sessions.shutDown();
  return running.push.add(digest(session), service.subscription(), 'Chrome on Android');
}

test('every alarm arrives after every kill, with one id over all tries', async () => {
  const folder = memoryFolder('delivery-kills-');
  const target: DatabaseTarget = { dialect: 'sqlite', file: join(folder, 'lookout.sqlite') };
  expectNoneLost(await deliverThroughKills(target, KILLS, false));
  rmSync(folder, { recursive: true });
});

describePostgres('after every failover', ({ newTarget }) => {
  test('the same holds, although the writer before goes on for a while', async () => {
    expectNoneLost(await deliverThroughKills(newTarget(), FAILOVERS, true));
  });
});
