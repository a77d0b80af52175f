import { beforeEach, describe, expect, test } from 'vitest';
import type { SessionSecret } from './session-secret.ts';

/** The contract of every `SessionSecret`. @param make a function that starts a server, and another one, with one new store */
export function declareSessionSecretSuite(name: string, make: () => Promise<() => SessionSecret>): void {
  let start: () => SessionSecret;
  beforeEach(async () => {
    start = await make();
  });

  describe(`${name} as a session secret`, () => {
    test('has 256 bits, and is another one in another store', async () => {
      const secret = await start().current();
      expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
      expect(await (await make())().current()).not.toBe(secret);
    });

    test('is made once, however many servers start at the same time', async () => {
      const secrets = await Promise.all(Array.from({ length: 10 }, () => start().current()));
      expect(new Set(secrets).size).toBe(1);
    });

    test('stays the same, for those that run and for those that start later', async () => {
      const first = start();
      const secret = await first.current();
      expect(await start().current()).toBe(secret);
      expect(await first.current()).toBe(secret);
    });
  });
}
