import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { canReach } from './readiness.ts';

let server: Server | undefined;

afterEach(() => {
  server?.close();
  server = undefined;
});

async function listening(says = ''): Promise<{ readonly port: number; readonly received: () => number }> {
  let received = 0;
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      received += bytes.length;
      socket.end(says);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, received: () => received };
}

test('a connection is enough, and nothing is sent', async () => {
  const { port, received } = await listening();
  expect(await canReach(`http://127.0.0.1:${port}/v1`)).toBe(true);
  expect(received()).toBe(0);
});

test('nothing listens there any more', async () => {
  const { port } = await listening();
  server?.close();
  expect(await canReach(`http://127.0.0.1:${port}`)).toBe(false);
});

test('a server without TLS is not reached by https', async () => {
  const { port, received } = await listening('HTTP/1.1 400 Bad Request\r\n\r\n');
  expect(await canReach(`https://127.0.0.1:${port}`)).toBe(false);
  expect(received()).toBeGreaterThan(0);
});
