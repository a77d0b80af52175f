import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keptSessionSecret } from './session-secret.ts';

const newFile = () => join(mkdtempSync(join(tmpdir(), 'lookout-secret-')), 'session-secret');

test('the secret is made once, and its file is for its owner alone', () => {
  const file = newFile();
  const secret = keptSessionSecret(file);
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  expect(keptSessionSecret(file)).toBe(secret);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a file that was emptied or cut is no secret: a new one is made', () => {
  const file = newFile();
  writeFileSync(file, 'short');
  expect(keptSessionSecret(file).length).toBeGreaterThanOrEqual(43);
});
