import { readFile } from 'node:fs/promises';
import type { FeedSettings } from '../feed-settings.ts';

/** Reads the password file for each request, so that it can change. */
export function basicAuthorization({ username, passwordFile }: FeedSettings): (() => Promise<string>) | undefined {
  if (username === undefined || passwordFile === undefined) return undefined;
  return async () => {
    const password = (await readFile(passwordFile, 'utf8')).trim();
    return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  };
}
