import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to connections. */
const FIRST = 20_000;
const BLOCKS = 16;
const BLOCK = 600;

/** A port is used again only after all others. */
let place = Math.floor(Math.random() * BLOCK);

/** Concurrent test processes have separate blocks. */
export async function freePort(): Promise<number> {
  for (;;) {
    place = (place + 1) % BLOCK;
    const port = FIRST + BLOCK * blockOf(process.env) + place;
    if (await isFree(port)) return port;
  }
}

/** @returns from 0; distinct for up to eight workers of Playwright and seven of Vitest */
export function blockOf(env: Readonly<Record<string, string | undefined>>): number {
  if (env.TEST_PARALLEL_INDEX !== undefined) return Number(env.TEST_PARALLEL_INDEX) % 8;
  if (env.VITEST_POOL_ID !== undefined) return 8 + (Number(env.VITEST_POOL_ID) % 7);
  return BLOCKS - 1;
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
