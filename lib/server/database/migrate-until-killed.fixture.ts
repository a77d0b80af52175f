// Migrates a file to a next version, and waits at a point to be killed:
//   node --conditions=react-server migrate-until-killed.fixture.ts FILE 'copied a part' | copied | migrated
import { existsSync, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MIGRATIONS } from './migrations/migrations.ts';
import { openDatabase } from './open-database.ts';

const [file = '', point = ''] = process.argv.slice(2);

/** Nothing else of this process runs meanwhile. */
function stay(): never {
  process.stdout.write(`${point}\n`);
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
}

if (point === 'copied a part') {
  const part = `${basename(file, '.sqlite')}-${MIGRATIONS.at(-1)!.name}.sqlite.part`;
  watch(dirname(file), (_, name) => {
    if (name === part && existsSync(`${dirname(file)}/${part}`) && statSync(`${dirname(file)}/${part}`).size > 0)
      stay();
  });
}
await openDatabase(
  { dialect: 'sqlite', file },
  {
    upgrades: true,
    migrations: [
      ...MIGRATIONS,
      {
        name: '9999-next',
        statements: ({ text, integer, end }) => {
          if (point === 'copied' && existsSync(`${dirname(file)}/lookout-${MIGRATIONS.at(-1)!.name}.sqlite`)) stay();
          return [
            `create table next_thing (id ${text} primary key, at_ms ${integer} not null) ${end}`,
            `alter table view add column colour ${text}`,
          ];
        },
        convert: async () => {
          await delay(0);
          if (point === 'migrated' && existsSync(`${dirname(file)}/lookout-${MIGRATIONS.at(-1)!.name}.sqlite`)) stay();
        },
      },
    ],
  },
);
