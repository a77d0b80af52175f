import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Files that also run in processes without the condition of a server. Node’s own modules keep them out of browser bundles. */
const SHARED = ['street-map/pmtiles-archive.ts'];

test('every file of lib/server imports server-only, so that no browser bundle can contain it', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name),
  );
  expect(files.length).toBeGreaterThan(50);
  const guard = /^(?:\/\/.*\n)*import 'server-only';\n/;
  const textOf = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
  expect(files.filter((name) => !guard.test(textOf(name)))).toEqual(SHARED);
  for (const name of SHARED) expect(textOf(name), name).toMatch(/^import .* from 'node:/m);
});
