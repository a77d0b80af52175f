import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { declareSessionSecretSuite } from '../ports/session-secret-suite.fixture.ts';
import { DamagedStore } from '../stores/storage-problem.ts';
import { fixedSessionSecret, keptSessionSecret } from './session-secret.ts';

const newFile = () => join(mkdtempSync(join(tmpdir(), 'lookout-secret-')), 'session-secret');

declareSessionSecretSuite('a file', async () => {
  const file = newFile();
  return () => fixedSessionSecret(keptSessionSecret(file));
});

test('only the owner of its file can read it', () => {
  const file = newFile();
  keptSessionSecret(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('an empty or truncated file is damaged', () => {
  const file = newFile();
  writeFileSync(file, 'short');
  expect(() => keptSessionSecret(file)).toThrow(DamagedStore);
});
