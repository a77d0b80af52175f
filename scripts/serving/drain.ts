import type { Server } from 'node:http';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

const IDLE_CHECK_MS = 50;
/** Longer than broken connections take to close. */
const CLOSING_MS = 500;

/** Accepts no new requests, and aborts answers that take longer than `maxMs`. */
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
  // Handlers of aborted answers may still log in this turn.
  await nextTurn();
}
