// Serves the built app for tests and benchmarks. --stall-ms closes the connection of a client that reads nothing for so
// long.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serveApp } from './serving/serve-app.ts';
import { cannotStart, endOnRequest, listenSettings, startProblem } from './serving/server-program.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { 'stall-ms': { type: 'string' } } });
const limits = values['stall-ms'] === undefined ? {} : { stallMs: Number(values['stall-ms']) };
const listen = listenSettings(process.env);
if (!listen.ok) cannotStart(listen.problems);
try {
  const app = await serveApp({ root, host: listen.host, port: listen.port, dev: false, limits });
  endOnRequest(app.stop);
  process.send?.('ready');
} catch (error) {
  cannotStart([startProblem(error)]);
}
