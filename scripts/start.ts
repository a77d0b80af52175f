// npm start, npm run dev: sets up what is missing, starts the embedded service if no upstream is set, and serves the
// app.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '#lib/server/config.ts';
import { embeddedProblems, embeddedSource, startEmbeddedService } from './setup/embedded-service.ts';
import { listenSettings } from './setup/listen-settings.ts';
import { prepareBasemap, prepareBuild } from './setup/prepare.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dev = process.argv.includes('--dev');
const say = (progress: string) => process.stdout.write(`${progress}\n`);

const usesEmbedded = !process.env.POSITIONS_API_URL?.trim();
const environment: NodeJS.ProcessEnv = { ...process.env, NODE_ENV: dev ? 'development' : 'production' };
delete environment.POSITIONS_EMBEDDED;
if (usesEmbedded) {
  // Placeholders, so that settings are checked before the slow set-up; the real address and key come from the service.
  Object.assign(environment, {
    POSITIONS_EMBEDDED: '1',
    POSITIONS_API_URL: 'http://127.0.0.1/v1',
    POSITIONS_API_KEY: 'made-at-start',
  });
  delete environment.POSITIONS_API_KEY_FILE;
}
const listen = listenSettings(process.env);
const config = readConfig(environment);
const problems = [
  ...(listen.ok ? [] : listen.problems),
  ...(config.ok ? [] : config.problems),
  ...(usesEmbedded ? embeddedProblems(process.env) : []),
];
if (!listen.ok || !config.ok || problems.length > 0) {
  process.stderr.write(`Lookout cannot start:\n${problems.map((problem) => `  ${problem}\n`).join('')}`);
  process.exit(1);
}

try {
  await prepareBasemap(root, say);
  if (!dev) await prepareBuild(root, say);
  if (usesEmbedded) {
    const service = await startEmbeddedService(root, embeddedSource(process.env));
    Object.assign(environment, { POSITIONS_API_URL: service.baseUrl, POSITIONS_API_KEY: service.apiKey });
    service.process.once('exit', (code) => {
      process.stderr.write(`The embedded service exited with ${code}; Lookout stops.\n`);
      process.exit(1);
    });
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

const app = spawn(process.execPath, [join(root, 'scripts/app-server.ts'), ...(dev ? ['--dev'] : [])], {
  cwd: root,
  env: environment,
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
});
app.once('message', () => {
  const { operatorsFile } = config.config;
  say(`Lookout is at ${listen.address}`);
  say(
    usesEmbedded
      ? `  positions: the embedded service, ${embeddedSource(process.env).slice(1).join(' ')}; everything it shows is simulated`
      : `  positions: ${config.config.upstream.baseUrl}`,
  );
  say(
    operatorsFile === undefined
      ? '  sign-in: none needed, Lookout listens on this machine only'
      : `  sign-in: operators of ${operatorsFile}`,
  );
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => app.kill('SIGTERM'));
app.once('exit', (code) => process.exit(code ?? 0));
