import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { restrictToOwner } from './restrict-to-owner.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-private-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const modeOf = (path: string) => statSync(path).mode & 0o1777;

function open(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, '');
  chmodSync(path, 0o666);
  return path;
}

test('restricts files that earlier starts left open to others', () => {
  chmodSync(folder, 0o755);
  const ours = [
    'sessions.sqlite',
    'sessions.sqlite-wal',
    'ledger-1.sqlite.damaged-20261121T120000Z',
    'session-secret',
  ].map(open);
  restrictToOwner(folder);
  expect(modeOf(folder)).toBe(0o700);
  expect(ours.map(modeOf)).toEqual(ours.map(() => 0o600));
});

test('leaves foreign files, targets of links, and shared directories unchanged', () => {
  const other = open('notes.txt');
  mkdirSync(join(folder, 'elsewhere.sqlite'));
  chmodSync(join(folder, 'elsewhere.sqlite'), 0o755);
  symlinkSync(other, join(folder, 'linked.sqlite'));
  chmodSync(folder, 0o1777);
  restrictToOwner(folder);
  expect([modeOf(other), modeOf(join(folder, 'elsewhere.sqlite')), modeOf(folder)]).toEqual([0o666, 0o755, 0o1777]);
});
