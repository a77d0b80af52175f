import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { blockOf, freePort } from './free-port.ts';

test('a port is given once: who asked for it may not listen yet', async () => {
  const ports: number[] = [];
  for (let asked = 0; asked < 300; asked++) ports.push(await freePort());
  expect(new Set(ports).size).toBe(ports.length);
  for (const port of ports) expect(port).toBeGreaterThanOrEqual(20_000);
  for (const port of ports) expect(port).toBeLessThan(30_000);
});

test('skips a port in use, even if the others have been given out', async () => {
  const taken = await freePort();
  const server = createServer().listen(taken, '127.0.0.1');
  await once(server, 'listening');
  const ports: number[] = [];
  for (let asked = 0; asked < 600; asked++) ports.push(await freePort());
  expect(ports).not.toContain(taken);
  server.close();
});

test('processes that test at the same time share none', () => {
  const playwright = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => ({ TEST_PARALLEL_INDEX: String(index) }));
  const vitest = [1, 2, 3, 4, 5, 6, 7].map((id) => ({ VITEST_POOL_ID: String(id) }));
  const blocks = [...playwright, ...vitest, {}].map(blockOf);
  expect(new Set(blocks).size).toBe(blocks.length);
});
