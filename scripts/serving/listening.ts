import { once } from 'node:events';
import type { Server as HttpServer, ServerResponse } from 'node:http';
import { Server as NetServer, type Server } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

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

const IDLE_CHECK_MS = 50;
/** Longer than broken connections take to close. */
const CLOSING_MS = 500;

/**
 * For a server that does not listen yet.
 * @returns what accepts no new requests, and aborts answers that take longer than `maxMs`
 */
export function drainOf(server: HttpServer): (maxMs: number) => Promise<void> {
  const answers = new Set<ServerResponse>();
  let isDraining = false;
  server.prependListener('request', (_, response) => {
    answers.add(response);
    response.once('close', () => answers.delete(response));
    // A keep-alive connection would receive the next request.
    if (isDraining) response.shouldKeepAlive = false;
  });
  const closeIdle = () => {
    // Node takes a connection for idle once its answer was ended, and would cut off what is not sent yet.
    const isSending = [...answers].some(({ writableEnded, writableFinished }) => writableEnded && !writableFinished);
    if (!isSending) server.closeIdleConnections();
  };
  return async (maxMs) => {
    isDraining = true;
    // That of HTTP would close idle connections at once.
    const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()));
    closeIdle();
    const idle = setInterval(closeIdle, IDLE_CHECK_MS);
    await Promise.race([closed, delay(maxMs, undefined, { ref: false })]);
    clearInterval(idle);
    server.closeAllConnections();
    await Promise.race([closed, delay(CLOSING_MS, undefined, { ref: false })]);
    // Handlers of aborted answers may still log in this turn.
    await nextTurn();
  };
}
