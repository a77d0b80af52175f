// Watches a zone until it is killed, or until the last step:
//   node --conditions=react-server watch-until-killed.fixture.ts DATABASE FROM_STEP LAST_STEP
// Each step that was evaluated is a line of its output.
import { openDatabase } from '../../database/open-database.ts';
import { ONLY_SERVER } from '../../database/writer-lease.ts';
import { RunningWatch } from './running-watch.fixture.ts';

const [databaseFile = '', from = '', last = ''] = process.argv.slice(2);
const database = await openDatabase({ dialect: 'sqlite', file: databaseFile });
const running = await RunningWatch.start(database, ONLY_SERVER, Number(from));
for (let step = Number(from); step <= Number(last); step++) {
  await running.read(step);
  process.stdout.write(`${step}\n`);
  if (step % 8 === 0) await running.makeUp();
}
await running.makeUp();
await running.close();
await database.close();
