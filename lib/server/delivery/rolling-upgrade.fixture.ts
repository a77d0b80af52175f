// One of several servers, of this build or the next: commits alarms while it is the writer, and delivers them.
//   node --conditions=react-server rolling-upgrade.fixture.ts TARGET NAME this | next ZONE RULE
// At SIGUSR1 it stops as by SIGSTOP. It prints `waits`, `migrates`, `open`, `writer` and `stopped by …`, each once. At SIGTERM
// it leaves as a server does, and ends.
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { addMs } from '#lib/time/instant.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import type { Migration } from '../database/migrations/migration.ts';
import { MIGRATIONS } from '../database/migrations/migrations.ts';
import { openDatabase } from '../database/open-database.ts';
import { LeaseLost, ONLY_SERVER } from '../database/writer-lease.ts';
import { ServerBoard } from '../servers/server-board.ts';
import { WriterElection } from '../servers/writer-election.ts';
import { patientSupervisor } from '../supervision/supervisor.fixture.ts';
import { OPENED_AT, transition } from '../zones/alarms/transition.fixture.ts';
import { opened, RunningDelivery } from './running-delivery.fixture.ts';

const ALARMS_A_STEP = 2;

const [target = '', name = '', version = '', zone = '', rule = ''] = process.argv.slice(2);
const said = new Set<string>();
const say = (word: string) => {
  if (!said.has(word)) process.stdout.write(`${word}\n`);
  said.add(word);
};
let isLeaving = false;
let isToSleep = false;
process.on('SIGTERM', () => {
  isLeaving = true;
});
process.on('SIGUSR1', () => {
  isToSleep = true;
});

const NEXT: Migration = {
  name: '9999-next',
  statements: ({ text, end }) => [
    `create table next_thing (id ${text} primary key) ${end}`,
    `alter table view add column colour ${text}`,
  ],
};
const database = await openDatabase(JSON.parse(target), {
  upgrades: true,
  migrations: version === 'next' ? [...MIGRATIONS, NEXT] : MIGRATIONS,
  say: (text) => say(text.includes('waiting') ? 'waits' : 'migrates'),
});
const isShared = database.dialect === 'postgres';
const log = { info: () => undefined, warn: () => undefined };
const part = patientSupervisor().part('writer');
const election = isShared ? new WriterElection({ database, name, part, log }) : undefined;
const lease = election ?? ONLY_SERVER;
const board = new ServerBoard(database);
const demand = { version: 0, viewers: 0, cells: '' };
if (isShared) await board.writeServer(name, name, demand);
else await sql`update writer set fence = 1`.execute(database.query);
await election?.start();
say('open');
const running = new RunningDelivery(database, lease);
const alarms = (change: number) =>
  opened((each) => transition(zone, { rule, ...each }), ALARMS_A_STEP, change * ALARMS_A_STEP);

async function step(): Promise<void> {
  if (isShared) await board.writeServer(name, name, undefined);
  if (lease.fence === undefined) return;
  say('writer');
  const { made } = await database.query
    .selectFrom('alarm')
    .select((each) => each.fn.countAll<number>().as('made'))
    .executeTakeFirstOrThrow();
  running.now = addMs(OPENED_AT, 2000 + made * 1000);
  await running.commit(...alarms(Math.ceil(made / ALARMS_A_STEP)));
  await running.pass();
}

while (!isLeaving) {
  await step().catch((error: unknown) => {
    if (error instanceof DatabaseFailure) say(`stopped by ${error.kind}`);
    else if (!(error instanceof LeaseLost)) throw error;
  });
  if (isToSleep) {
    isToSleep = false;
    // A transaction under way would hold its locks.
    await running.pass();
    process.kill(process.pid, 'SIGSTOP');
  }
  await delay(20);
}
await running.close();
await election?.close();
if (isShared && !database.failure) await board.writeServer(name, '', demand);
await database.close();
