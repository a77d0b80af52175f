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
  test('appears in logs as 8 hex digits of its SHA-256, never in part', () => {
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
    '%j in the file is rejected, without quoting the file’s content',
    (content) => {
      writeFileSync(file, content);
      expect(() => apiKeyFromFile(file).current()).toThrow(/no usable key/);
      const hidden = content.trim();
      if (hidden !== '') expect(() => apiKeyFromFile(file).current()).not.toThrow(hidden);
    },
  );

  test('a missing file does not yield the old key, and is read again when it is back', () => {
    writeFileSync(file, 'first-key');
    const source = apiKeyFromFile(file);
    source.current();
    rmSync(file);
    expect(() => source.current()).toThrow(/ENOENT/);
    writeFileSync(file, 'another-key');
    expect(source.current().value).toBe('another-key');
  });
});
