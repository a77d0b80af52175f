import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { memoryDatabase } from '../database/memory-database.fixture.ts';
import { Receiver } from './receiver.fixture.ts';
import { opened, RunningDelivery } from './running-delivery.fixture.ts';

/** 167 are 10,020 in the minute, whose figures are in docs/outputs.md. */
const A_SECOND = Number(process.env.ALARMS_A_SECOND ?? 20);
const BUDGET = 20;

function heapMb(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

test('alarms of a minute survive an hour without their destination: all arrive, or are reported as grouped', async () => {
  const database = await memoryDatabase();
  const running = new RunningDelivery(database);
  const [all, few] = [await Receiver.open(), await Receiver.open()];
  const tally = (receiver: Receiver, isDown: () => boolean) => {
    const listed: string[] = [];
    let more = 0;
    let notices = 0;
    receiver.answer = (response, { body }) => {
      receiver.received.length = 0;
      if (isDown()) return void response.writeHead(503).end();
      const { data } = JSON.parse(body);
      listed.push(...data.alarms.map(({ track }: { track: string }) => track));
      more += data.more;
      notices++;
      response.writeHead(204).end();
    };
    return () => ({ listed: listed.length, different: new Set(listed).size, more, notices });
  };
  let isDown = true;
  const [ofAll, ofFew] = [tally(all, () => isDown), tally(few, () => isDown)];
  const hook = await running.addWebhook(all.url);
  const limited = await running.addWebhook(few.url, { notices_an_hour: BUDGET });
  const { of } = await running.addZone({ notify: [hook.id, limited.id] });
  await running.commit(...opened(of, 1));
  await running.pass();
  const heapBefore = heapMb();
  for (let second = 0; second < 60; second++) {
    await running.commit(...opened(of, A_SECOND, 1 + second * A_SECOND));
    await running.pass(SECOND_MS);
  }
  for (let minute = 0; minute < 60; minute++) await running.pass(MINUTE_MS);
  const heapDown = heapMb();
  expect([ofAll(), ofFew()]).toMatchObject([{ notices: 0 }, { notices: 0 }]);
  isDown = false;
  const startedMs = performance.now();
  await running.pass(15 * MINUTE_MS);
  const drainedMs = performance.now() - startedMs;
  await running.pass(MINUTE_MS);
  const alarms = 60 * A_SECOND + 1;
  expect(ofAll()).toEqual({ listed: alarms, different: alarms, more: 0, notices: alarms });
  const limitedTo = ofFew();
  expect(limitedTo.listed + limitedTo.more).toBe(alarms);
  expect(limitedTo.notices).toBe(BUDGET + 1);
  const states = await database.query
    .selectFrom('delivery')
    .select(({ fn }) => ['destination_id', 'state', fn.countAll<number>().as('count')])
    .groupBy(['destination_id', 'state'])
    .execute();
  expect(states.find(({ state }) => state === 'grouped')?.count).toBe(alarms - BUDGET);
  // Rows wait in the database: none of them is in memory.
  const grownMb = { down: heapDown - heapBefore, after: heapMb() - heapBefore };
  if (process.env.ALARMS_A_SECOND) process.stdout.write(`${JSON.stringify({ alarms, drainedMs, ...grownMb })}\n`);
  expect(grownMb.down).toBeLessThan(8);
  expect(grownMb.after).toBeLessThan(8);
  await running.close();
  await database.close();
  all.close();
  few.close();
});
