import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COLUMN_TYPES, type Migration } from './migration.ts';
import { MIGRATIONS } from './migrations.ts';

const folder = new URL('./', import.meta.url);
const frozen: Readonly<Record<string, string>> = JSON.parse(readFileSync(new URL('frozen.json', folder), 'utf8'));

/** Of the file, and of the statements in both databases, which `COLUMN_TYPES` changes too. */
function digestOf({ name, statements }: Migration): string {
  const text = readFileSync(new URL(`${name}.ts`, folder), 'utf8');
  const all = [text, ...Object.values(COLUMN_TYPES).flatMap(statements)];
  return createHash('sha256').update(all.join('\n')).digest('hex').slice(0, 32);
}

test.each(MIGRATIONS)('$name is what databases have run', (migration) => {
  const { name } = migration;
  const digest = digestOf(migration);
  expect(
    frozen[name],
    name in frozen
      ? `${name} was changed after databases have run it. Undo the change, and write a new migration after ${MIGRATIONS.at(-1)!.name} (CONTRIBUTING.md, “A table”).`
      : `${name} is new: add its digest ${digest} to frozen.json when it is done, since it cannot change after it was merged.`,
  ).toBe(digest);
});

test('every migration has its file, its number and its digest', () => {
  const files = readdirSync(folder).filter((name) => /^\d{4}-.*\.ts$/.test(name));
  const names = MIGRATIONS.map(({ name }) => name);
  expect(files.map((name) => name.replace('.ts', '')).sort()).toEqual(names);
  expect(Object.keys(frozen), 'a migration that databases have run is missing').toEqual(names);
  expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, place) => place + 1));
});
