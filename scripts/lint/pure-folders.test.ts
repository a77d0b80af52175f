import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const textOf = (name: string) => readFileSync(join(root, name), 'utf8');

interface Biome {
  readonly overrides: readonly { readonly includes: readonly string[]; readonly plugins?: readonly string[] }[];
}

test('the folders that may not import a clock may not use one of the globals either', () => {
  const [, listed = ''] = /const pure = \[([^\]]*)\]/.exec(textOf('.dependency-cruiser.mjs')) ?? [];
  const pure = [...listed.matchAll(/'(\w+)'/g)].map(([, name]) => `lib/${name}/**`);
  const { overrides } = JSON.parse(textOf('biome.json')) as Biome;
  const linted = overrides.find(({ plugins }) => plugins?.includes('./scripts/lint/pure.grit'))?.includes ?? [];
  expect(pure.length).toBeGreaterThan(10);
  expect(new Set(linted.filter((path) => path.startsWith('lib/')))).toEqual(new Set(pure));
});
