import 'server-only';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

export interface ApiKey {
  readonly value: string;
  /** First 8 hex digits of the key's SHA-256: all that logs and latches ever see of it. */
  readonly id: string;
}

export interface ApiKeySource {
  /** The key as it is now. @throws Error where the key file cannot be read or is empty */
  current(): ApiKey;
}

/** What a header can carry: a key that is anything else was damaged on its way here. */
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

/** Reads the file again whenever its time or size changed, so that a key is rotated without a restart. */
export function apiKeyFromFile(file: string): ApiKeySource {
  let held: { key: ApiKey; mtimeMs: number; size: number } | undefined;
  return {
    current() {
      const { mtimeMs, size } = statSync(file);
      if (held?.mtimeMs === mtimeMs && held.size === size) return held.key;
      const value = readFileSync(file, 'utf8').trim();
      if (!isUsableKey(value)) throw new Error(`the key file ${file} holds no usable key`);
      held = { key: apiKey(value), mtimeMs, size };
      return held.key;
    },
  };
}
