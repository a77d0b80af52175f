import 'server-only';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Metrics } from './metrics.ts';

const LOOPBACK = '127.0.0.1';
const OWN_NAMES = [LOOPBACK, 'localhost'];

/**
 * Serves the metrics to this machine alone.
 * @throws Error if it cannot listen
 */
export async function startMetricsListener(
  port: number,
  metrics: Pick<Metrics, 'text' | 'contentType'>,
  report: (error: unknown) => void,
): Promise<Server> {
  const server = createServer(
    { requestTimeout: 10 * SECOND_MS, headersTimeout: 5 * SECOND_MS },
    (request, response) => {
      const refuse = (status: number) => response.writeHead(status, { 'cache-control': 'no-store' }).end();
      // Another name is a foreign site's page in a browser on this machine.
      if (!OWN_NAMES.includes((request.headers.host ?? '').replace(/:\d+$/, ''))) return void refuse(403);
      if (request.url !== '/metrics') return void refuse(404);
      if (request.method !== 'GET') return void refuse(405);
      metrics.text().then(
        (text) =>
          response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text),
        (error) => {
          report(error);
          refuse(500);
        },
      );
    },
  );
  server.maxConnections = 20;
  // The next scrape would fail on a connection that is closing.
  server.maxRequestsPerSocket = 1;
  server.listen(port, LOOPBACK);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(
      code === 'EADDRINUSE'
        ? `metrics cannot be served on ${LOOPBACK}:${port}, which another process uses. For several servers on one machine, write METRICS_PORT=+6000: each adds it to its PORT.`
        : `metrics cannot be served on ${LOOPBACK}:${port}: ${message}; set METRICS_PORT to another port`,
    );
  }
  return server.unref();
}
