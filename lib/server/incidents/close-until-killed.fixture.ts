// Opens, closes and seals incidents one after the other:
//   node --conditions=react-server close-until-killed.fixture.ts TARGET
// Prints a line with each step.
import { openDatabase } from '../database/open-database.ts';
import { sayLine } from '../database/say-line.fixture.ts';
import { ClosingWorld } from './closing-world.fixture.ts';

const world = new ClosingWorld(await openDatabase(JSON.parse(process.argv[2] ?? '')));
for (;;) {
  const id = await world.open(60);
  sayLine('open');
  await world.close(id);
  sayLine('closed');
  await world.seal(id);
  sayLine('sealed');
}
