import { expect, test } from 'vitest';
import { describeDatabases } from '#testing/test-databases.ts';
import { sessionSecret } from './session-secret.ts';

describeDatabases('the session secret', ({ newTarget, open, testOnce }) => {
  testOnce('has 256 bits, and differs between databases', async () => {
    const secret = await sessionSecret(await open());
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(await sessionSecret(await open())).not.toBe(secret);
  });

  test('is made once, however many servers start at the same time', async () => {
    const target = newTarget();
    const servers = await Promise.all([open(target), open(target), open(target)]);
    const secrets = await Promise.all([...servers, ...servers].map(sessionSecret));
    expect(new Set(secrets).size).toBe(1);
    expect(await sessionSecret(await open(target))).toBe(secrets[0]);
  });
});
