import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { resolveName, SECOND_ANSWERS } from '#testing/resolve-name.ts';
import { boundedFetch } from './oidc-provider.ts';

test('reads from the address of a name that answers', async () => {
  const provider = createServer((_, response) => response.end('keys')).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const restore = resolveName('localhost', SECOND_ANSWERS);
  const url = `http://localhost:${(provider.address() as AddressInfo).port}/`;
  const options = { method: 'GET', headers: {}, redirect: 'manual', body: undefined } as const;
  const answer = await boundedFetch(url, options).finally(restore);
  expect(await answer.text()).toBe('keys');
  provider.closeAllConnections();
  provider.close();
});
