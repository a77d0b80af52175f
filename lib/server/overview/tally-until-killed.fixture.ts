// Reads steps of the tallied world as the writer, and writes after every fourth:
//   node --conditions=react-server tally-until-killed.fixture.ts TARGET STEP
// Prints each step that it has read.
import { openDatabase } from '../database/open-database.ts';
import { sayLine } from '../database/say-line.fixture.ts';
import { ONLY_SERVER } from '../database/writer-lease.ts';
import { TalliedWorld } from './tallied-world.fixture.ts';

const [target = '', first = ''] = process.argv.slice(2);
const world = new TalliedWorld(await openDatabase(JSON.parse(target)), { ...ONLY_SERVER, fence: 0 }, Number(first));
await world.tally.write();
for (let step = Number(first); ; step++) {
  world.read(step);
  sayLine(step);
  if (step % 4 === 0) await world.tally.write();
  else await new Promise(setImmediate);
}
