// Serves the built app: Next's request handler behind our own server, which knows the peer's true address.
import { createServer } from 'node:http';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import next from 'next';
import { listenSettings } from './setup/listen-settings.ts';

/** The name that lib/server/session/peer-address.ts reads. */
const PEER_ADDRESS_HEADER = 'x-lookout-peer';
/** How long answers in progress may take after a request to stop. */
const DRAIN_MS = 8000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dev = process.argv.includes('--dev');
const listen = listenSettings(process.env);
if (!listen.ok) throw new Error(listen.problems.join('; '));
const { host, port } = listen;

const app = next({ dev, dir: root, hostname: host, port });
await app.prepare();
const handle = app.getRequestHandler();
const server = createServer((request, response) => {
  // Clients must not set their own address or claim that middleware has already run.
  delete request.headers['x-forwarded-for'];
  delete request.headers['x-middleware-subrequest'];
  request.headers[PEER_ADDRESS_HEADER] = request.socket.remoteAddress ?? 'unknown';
  void handle(request, response);
});
if (dev) server.on('upgrade', (request, socket, head) => void app.getUpgradeHandler()(request, socket, head));

server.once('error', (error: NodeJS.ErrnoException) => {
  const hint = error.code === 'EADDRINUSE' ? `; port ${port} is in use: set PORT to another one` : '';
  process.stderr.write(`Lookout cannot listen on ${host}:${port}: ${error.message}${hint}\n`);
  process.exit(1);
});
server.listen(port, host, () => process.send?.('ready'));

function stop(): void {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
  setTimeout(() => process.exit(0), DRAIN_MS).unref();
}
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
// The parent process is gone, so nothing else would stop this one.
process.once('disconnect', stop);
