// node --conditions=react-server write-until-killed.fixture.ts TARGET
// Adds a view and its start view to the database TARGET (JSON) in each transaction. Prints a line after the first one.
import { type DatabaseTarget, openDatabase } from '#lib/server/database/open-database.ts';

const database = await openDatabase(JSON.parse(process.argv[2] ?? '') as DatabaseTarget);
for (let number = 0; ; number++) {
  const id = `w${number}`;
  await database.change(async (query) => {
    const view = { id, owner: id, name: id, query: 'x'.repeat(2000), shared: 0, owner_name: id } as const;
    await query.insertInto('view').values(view).execute();
    await query.insertInto('start_view').values({ owner: id, view_id: id }).execute();
  });
  if (number === 0) process.stdout.write('written\n');
}
