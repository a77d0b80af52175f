// Watches a zone as the writer:
//   node --conditions=react-server watch-until-killed.fixture.ts TARGET FENCE
// Prints a line when ready, reads its first and last step from a line, and prints a line for each evaluated
// step.
import { once } from 'node:events';
import { sql } from 'kysely';
import { openDatabase } from '../../database/open-database.ts';
import { sayLine } from '../../database/say-line.fixture.ts';
import { ONLY_SERVER } from '../../database/writer-lease.ts';
import { RunningWatch } from './running-watch.fixture.ts';

const [target = '', fence = ''] = process.argv.slice(2);
const database = await openDatabase(JSON.parse(target));
sayLine('ready');
const [input] = await once(process.stdin, 'data');
process.stdin.destroy();
const [from = 0, last = 0] = String(input).split(' ').map(Number);
await database.change((query) => sql`update writer set fence = ${Number(fence)}`.execute(query));
const running = await RunningWatch.start(database, { ...ONLY_SERVER, fence: Number(fence) }, from);
for (let step = from; step <= last; step++) {
  await running.read(step);
  sayLine(step);
  if (step % 8 === 0) await running.makeUp();
}
await running.makeUp();
await running.close();
await database.close();
