// node --conditions=react-server full-disk-open.fixture.ts FOLDER
// Opens a database on the small disk FOLDER while that is full, and again once there is room. Prints what happened.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { lockDataDir } from './data-dir-lock.ts';
import { DatabaseFailure } from './database-failure.ts';
import { type DatabaseTarget, openDatabase } from './open-database.ts';

const [folder = ''] = process.argv.slice(2);
const target: DatabaseTarget = { dialect: 'sqlite', file: join(folder, 'lookout.sqlite') };
const filler = join(folder, 'filler');
const view = { id: 'v', owner: 'al', name: 'North gate', query: '', shared: 1, owner_name: 'Al' } as const;

const lock = lockDataDir(folder);
const first = await openDatabase(target);
await first.query.insertInto('view').values(view).execute();
await first.close();

const descriptor = openSync(filler, 'w');
try {
  for (;;) writeSync(descriptor, Buffer.alloc(1024, 'x'));
} catch {
  closeSync(descriptor);
}

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
rmSync(filler);
await change();
const after = database.failure?.kind ?? null;
await database.close();
const last = await openDatabase(target);
const kept = (await last.query.selectFrom('view').select('query').execute())[0]?.query.length;
await last.close();
lock.release();
process.stdout.write(JSON.stringify({ read, refused, failure, after, kept }));
