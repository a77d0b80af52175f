// node --conditions=react-server full-disk-open.fixture.ts FOLDER
// Opens and migrates a database on the small disk FOLDER while that is full, and again once there is room. Prints what
// happened.
import { closeSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { lockDataDir } from './data-dir.ts';
import { DatabaseFailure } from './database-failure.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { openDatabase } from './open-database.ts';
import { schemaOf } from './schema.ts';

const [folder = ''] = process.argv.slice(2);
const target = { dialect: 'sqlite', file: join(folder, 'lookout.sqlite') } as const;
const filler = join(folder, 'filler');
const view = { id: 'v', owner: 'al', name: 'North gate', query: '', shared: 1, owner_name: 'Al' } as const;

const lock = lockDataDir(folder);
const first = await openDatabase(target);
await first.query.insertInto('view').values(view).execute();
await first.close();

/** @param leftBytes about this much of the disk */
function fill(leftBytes = 0): void {
  const blocks: string[] = [];
  for (let number = 0; ; number++) {
    const block = `${filler}-${number}`;
    const descriptor = openSync(block, 'w');
    blocks.push(block);
    try {
      for (let size = 0; size < 100_000; size += 1000) writeSync(descriptor, Buffer.alloc(1000, 'x'));
    } catch {
      break;
    } finally {
      closeSync(descriptor);
    }
  }
  for (let left = 0; left < leftBytes && blocks.length > 0; left += 100_000) rmSync(blocks.pop()!);
}

function makeRoom(): void {
  for (const name of readdirSync(folder)) if (name.startsWith('filler')) rmSync(join(folder, name));
}

fill();
const database = await openDatabase(target);
const read = await database.query.selectFrom('view').select('name').execute();
const change = () =>
  database.change((query) =>
    query
      .updateTable('view')
      .set({ query: 'x'.repeat(50_000) })
      .execute(),
  );
const refused = await change().then(
  () => undefined,
  (error: unknown) => (error instanceof DatabaseFailure ? error.kind : String(error)),
);
const failure = database.failure?.kind;
makeRoom();
await change();
const after = database.failure?.kind ?? null;
await database.close();
const last = await openDatabase(target);
const kept = (await last.query.selectFrom('view').select('query').execute())[0]?.query.length;
await last.close();

const next = {
  upgrades: true,
  migrations: [
    ...MIGRATIONS,
    {
      name: '9999-next',
      statements: () => ['create table big (body blob)', 'insert into big values (zeroblob(400000))'],
    },
  ],
};
const migrate = () =>
  openDatabase(target, next).then(
    async (migrated) => {
      await migrated.close();
      return 'migrated';
    },
    (error: unknown) => (error instanceof DatabaseFailure ? `${error.kind}: ${error.message}` : String(error)),
  );
const states: unknown[] = [];
for (const leftBytes of [0, 200_000, statSync(target.file).size + 200_000]) {
  fill(leftBytes);
  const migrated = await migrate();
  makeRoom();
  const { kind } = await schemaOf(target);
  states.push({ migrated, kind, files: readdirSync(folder).filter((name) => name.startsWith('lookout-')) });
}
states.push({ migrated: await migrate(), files: readdirSync(folder).filter((name) => name.startsWith('lookout-')) });
lock.release();
process.stdout.write(JSON.stringify({ read, refused, failure, after, kept, states }));
