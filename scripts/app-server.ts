// Serves the built app: Next's request handler behind our own server, which knows the peer's true address.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveApp } from './serving/serve-app.ts';
import { cannotStart, startProblem } from './serving/start-problems.ts';
import { endOnRequest } from './serving/stop-request.ts';
import { listenSettings } from './setup/listen-settings.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const listen = listenSettings(process.env);
if (!listen.ok) cannotStart(listen.problems);
try {
  const app = await serveApp({ root, host: listen.host, port: listen.port, dev: false });
  endOnRequest(app.stop);
  process.send?.('ready');
} catch (error) {
  cannotStart([startProblem(error)]);
}
