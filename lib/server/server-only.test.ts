import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('every file of lib/server imports server-only, so that no browser bundle can contain it', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name),
  );
  expect(files.length).toBeGreaterThan(50);
  const guard = /^(?:\/\/.*\n)*import 'server-only';\n/;
  const open = files.filter((name) => !guard.test(readFileSync(join(import.meta.dirname, name), 'utf8')));
  expect(open).toEqual([]);
});
