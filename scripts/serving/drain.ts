import type { Server } from 'node:http';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/** How often connections are closed that have nothing to answer any more. */
const IDLE_CHECK_MS = 50;
/** Longer than connections take to close that were broken off. */
const CLOSING_MS = 500;

/** Accepts nothing more, and resolves when the answers under way have ended. Aborts those that take longer than `maxMs`. */
export async function drain(server: Server, maxMs: number): Promise<void> {
  // A keep-alive connection would receive the next request.
  server.prependListener('request', (_, response) => {
    response.shouldKeepAlive = false;
  });
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  await Promise.race([closed, delay(maxMs, undefined, { ref: false })]);
  clearInterval(idle);
  server.closeAllConnections();
  await Promise.race([closed, delay(CLOSING_MS, undefined, { ref: false })]);
  // Handlers of aborted answers run in the same turn as the close of their connection, and may still log their result.
  await nextTurn();
}
