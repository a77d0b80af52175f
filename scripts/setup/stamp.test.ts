import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashOf } from './stamp.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stamp-'));
  mkdirSync(join(root, 'lib/geo'), { recursive: true });
  write('lib/geo/bbox.ts', 'export const bbox = 1;');
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (file: string, text: string) => writeFileSync(join(root, file), text);
const hash = () => hashOf(root, ['lib', 'missing', 'next.config.mjs']);

test('a build is repeated after a change of a source or of its name', () => {
  const first = hash();
  write('lib/geo/bbox.ts', 'export const bbox = 2;');
  const changed = hash();
  renameSync(join(root, 'lib/geo/bbox.ts'), join(root, 'lib/geo/box.ts'));
  const renamed = hash();
  write('next.config.mjs', 'export default {};');
  expect(new Set([first, changed, renamed, hash()]).size).toBe(4);
});

test('and not after a change of what only tests read', () => {
  const first = hash();
  write('lib/geo/bbox.test.ts', 'test();');
  write('lib/geo/view.test.tsx', 'test();');
  write('lib/geo/arbitrary-bbox.fixture.ts', 'export const arbitrary = 1;');
  expect(hash()).toBe(first);
  write('lib/geo/tested.ts', 'export const tested = 1;');
  expect(hash()).not.toBe(first);
});
