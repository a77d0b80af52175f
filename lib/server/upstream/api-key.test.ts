import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { apiKeyFromFile, fixedApiKey } from './api-key.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-key-'));
  file = join(folder, 'key');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('an API key', () => {
  test('is known to logs by 8 hex digits of its SHA-256, and no part of it', () => {
    const { id, value } = fixedApiKey('cafebabe-secret').current();
    expect(id).toBe(createHash('sha256').update(value).digest('hex').slice(0, 8));
    expect(id).toMatch(/^[0-9a-f]{8}$/);
  });

  test('in a file is read without the line end, and rotated without a restart', () => {
    writeFileSync(file, 'first-key\n');
    const source = apiKeyFromFile(file);
    expect(source.current().value).toBe('first-key');
    writeFileSync(file, 'the-second-key\r\n');
    expect(source.current()).toEqual(fixedApiKey('the-second-key').current());
  });

  test.each(['', '\n', 'two words', 'line\nline', 'schlüssel', 'tab\tkey'])(
    '%j in the file is no key: it says so, and does not say what the file holds',
    (content) => {
      writeFileSync(file, content);
      expect(() => apiKeyFromFile(file).current()).toThrow(/no usable key/);
      const hidden = content.trim();
      if (hidden !== '') expect(() => apiKeyFromFile(file).current()).not.toThrow(hidden);
    },
  );

  test('a file that vanishes gives no old key, and one that comes back is read again', () => {
    writeFileSync(file, 'first-key');
    const source = apiKeyFromFile(file);
    source.current();
    rmSync(file);
    expect(() => source.current()).toThrow(/ENOENT/);
    writeFileSync(file, 'another-key');
    expect(source.current().value).toBe('another-key');
  });
});
