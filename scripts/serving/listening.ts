import { once } from 'node:events';
import type { Server } from 'node:net';

/** As many as the front accepts. Others wait a second for their client's next attempt; Node's default is 511. */
const BACKLOG = 2000;

/** @throws Error that says what to do if the port is taken */
export async function listening(server: Server, host: string, port: number): Promise<void> {
  server.listen({ host, port, backlog: BACKLOG });
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const hint = code === 'EADDRINUSE' ? `; port ${port} is in use: set PORT to another one` : '';
    throw new Error(`it cannot listen on ${host}:${port}: ${message}${hint}`);
  }
}
