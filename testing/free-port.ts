import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to connections, so that none is given this one before it is listened on. */
const FIRST = 20_000;
const LAST = 31_999;

/** A loopback port that is free at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
