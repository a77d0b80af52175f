import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cannotStart, startProblem } from '../serving/start-problems.ts';
import { endOnRequest } from '../serving/stop-request.ts';
import { listenSettings } from '../setup/listen-settings.ts';

if (process.argv[2] === 'move') {
  process.argv.splice(2, 1);
  await import('../move.ts');
  process.exit();
}
const root = dirname(fileURLToPath(import.meta.url));
// Paths are relative to this file, not to the working directory.
process.chdir(root);
const built = JSON.parse(readFileSync(join(root, '.next/required-server-files.json'), 'utf8')) as { config: object };
Object.assign(process.env, {
  NODE_ENV: 'production',
  // Without it, Next looks for packages of the build.
  __NEXT_PRIVATE_STANDALONE_CONFIG: JSON.stringify(built.config),
});
const listen = listenSettings(process.env);
if (!listen.ok) cannotStart(listen.problems);
try {
  const { serveApp } = await import('../serving/serve-app.ts');
  const app = await serveApp({ root, host: listen.host, port: listen.port, dev: false });
  endOnRequest(app.stop);
  process.stdout.write(`Lookout is at ${listen.address}\n`);
} catch (error) {
  cannotStart([startProblem(error)]);
}
