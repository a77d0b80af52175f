import 'server-only';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

export interface ApiKey {
  readonly value: string;
  /** First 8 hex digits of the key's SHA-256: logs never contain the key. */
  readonly id: string;
}

export interface ApiKeySource {
  /** @throws Error where the key file cannot be read or contains no usable key */
  current(): ApiKey;
}

export function isUsableKey(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value);
}

function apiKey(value: string): ApiKey {
  return { value, id: createHash('sha256').update(value).digest('hex').slice(0, 8) };
}

export function fixedApiKey(value: string): ApiKeySource {
  const key = apiKey(value);
  return { current: () => key };
}

/** Follows the file's modification time and size, so that a key is rotated without a restart. */
export function apiKeyFromFile(file: string): ApiKeySource {
  let cached: { key: ApiKey; mtimeMs: number; size: number } | undefined;
  return {
    current() {
      const { mtimeMs, size } = statSync(file);
      if (cached?.mtimeMs === mtimeMs && cached.size === size) return cached.key;
      const value = readFileSync(file, 'utf8').trim();
      if (!isUsableKey(value))
        throw new Error(`The key file ${file} contains no usable key: put the key alone in it, without spaces.`);
      cached = { key: apiKey(value), mtimeMs, size };
      return cached.key;
    },
  };
}
