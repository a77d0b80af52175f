import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DamagedStore } from '../stores/storage-problem.ts';
import { keptSessionSecret } from './session-secret.ts';

const newFile = () => join(mkdtempSync(join(tmpdir(), 'lookout-secret-')), 'session-secret');

test('the secret is made once, in a file that only its owner can read', () => {
  const file = newFile();
  const secret = keptSessionSecret(file);
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  expect(keptSessionSecret(file)).toBe(secret);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('an empty or truncated file is damaged', () => {
  const file = newFile();
  writeFileSync(file, 'short');
  expect(() => keptSessionSecret(file)).toThrow(DamagedStore);
});
