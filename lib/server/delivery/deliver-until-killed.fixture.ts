// Commits alarms and delivers them as the writer:
//   node --conditions=react-server deliver-until-killed.fixture.ts TARGET FENCE ZONE RULE
// Speaks as watch-until-killed.fixture.ts. A step takes 5 s of virtual time.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { addMs } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { openDatabase } from '../database/open-database.ts';
import { sayLine } from '../database/say-line.fixture.ts';
import { LeaseLost, ONLY_SERVER } from '../database/writer-lease.ts';
import { OPENED_AT, transition } from '../zones/alarms/transition.fixture.ts';
import { opened, RunningDelivery } from './running-delivery.fixture.ts';

const ALARMS_A_STEP = 5;

const [target = '', fence = '', zone = '', rule = ''] = process.argv.slice(2);
const database = await openDatabase(JSON.parse(target));
sayLine('ready');
const [input] = await once(process.stdin, 'data');
process.stdin.destroy();
const [from = 0, last = 0] = String(input).split(' ').map(Number);
await database.change((query) => sql`update writer set fence = ${Number(fence)}`.execute(query));
const running = new RunningDelivery(database, { ...ONLY_SERVER, fence: Number(fence) });
running.roles.set('al', 'viewer');
running.now = addMs(OPENED_AT, from * 5 * SECOND_MS);
/** Another process is the writer. */
async function untilKilled(error: unknown): Promise<void> {
  if (!(error instanceof LeaseLost)) throw error;
  await delay(60 * SECOND_MS);
}

const alarms = (step: number) =>
  opened((change) => transition(zone, { rule, ...change }), ALARMS_A_STEP, step * ALARMS_A_STEP);
for (let step = from; step <= last; step++) {
  await running.commit(...alarms(step)).catch(untilKilled);
  await running.pass(5 * SECOND_MS);
  sayLine(step);
}
const waiting = () => database.query.selectFrom('delivery').select('id').where('state', '=', 'waiting').execute();
for (let tries = 0; tries < 1000 && (await waiting()).length > 0; tries++) await running.pass(60 * SECOND_MS);
await running.close();
await database.close();
