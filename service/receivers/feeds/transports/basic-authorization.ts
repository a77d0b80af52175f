import { readFile } from 'node:fs/promises';
import type { FeedSettings } from '../feed-settings.ts';

/** The header of a feed with a user. Its password is read from its file each time, so that it can be changed. */
export function basicAuthorization({ username, passwordFile }: FeedSettings): (() => Promise<string>) | undefined {
  if (username === undefined || passwordFile === undefined) return undefined;
  return async () => {
    const password = (await readFile(passwordFile, 'utf8')).trim();
    return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  };
}
