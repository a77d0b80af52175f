// node --conditions=react-server close-on-full-disk.fixture.ts FOLDER
// Closes an incident that is larger than the small disk FOLDER, makes room, and closes one that is not. Prints what
// happened.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseFailure } from '../database/database-failure.ts';
import { openDatabase } from '../database/open-database.ts';
import { ClosingWorld } from './closing-world.fixture.ts';

const folder = process.argv[2] ?? '';
const filler = join(folder, 'filler');
writeFileSync(filler, Buffer.alloc(700_000, 'x'));
const database = await openDatabase({ dialect: 'sqlite', file: join(folder, 'lookout.sqlite') });
const world = new ClosingWorld(database);
const tooLarge = await world.open(20 * 60);
const refused = await world.close(tooLarge).then(
  () => undefined,
  (error: unknown) => (error instanceof DatabaseFailure ? error.kind : String(error)),
);
const before = await world.states();
rmSync(filler);
const small = await world.open(10);
await world.close(small);
await world.seal(small);
process.stdout.write(JSON.stringify({ refused, before, after: await world.states() }));
await database.close();
