// npm start, npm run dev: sets up, starts the embedded service without an upstream, serves the app.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '#lib/server/settings/config.ts';
import { cannotStart, startProblem } from './serving/start-problems.ts';
import { endOnRequest } from './serving/stop-request.ts';
import {
  type EmbeddedService,
  embeddedProblems,
  embeddedReceivers,
  embeddedSource,
  isRecording,
  receiversSocket,
  startEmbeddedService,
} from './setup/embedded-service.ts';
import { listenSettings } from './setup/listen-settings.ts';
import { prepareBasemap, prepareBuild } from './setup/prepare.ts';
import { diskRemedy, endQuietRuns } from './setup/run-quietly.ts';
import { endAfterVersion } from './setup/version-option.ts';

endAfterVersion();

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dev = process.argv.includes('--dev');
const say = (progress: string) => process.stdout.write(`${progress}\n`);
const settings = { ...process.env };
const usesEmbedded = !settings.POSITIONS_API_URL?.trim();

let service: EmbeddedService | undefined;
let stopApp: (() => Promise<void>) | undefined;
let isStopping = false;
let hasSignIn = true;
endOnRequest(async () => {
  isStopping = true;
  endQuietRuns();
  await stopApp?.();
  await service?.stop();
});

// Next and the settings read this environment.
Object.assign(process.env, { NODE_ENV: dev ? 'development' : 'production' });
delete process.env.POSITIONS_EMBEDDED;
delete process.env.POSITIONS_ALLOWANCE;
const receivers = embeddedReceivers(settings);
if (usesEmbedded) {
  // Placeholders, to check settings before the slow set-up; the service replaces them.
  Object.assign(process.env, {
    POSITIONS_EMBEDDED: isRecording(settings) ? 'recording' : '1',
    POSITIONS_ALLOWANCE: 'none',
    POSITIONS_API_URL: 'http://127.0.0.1/v1',
    POSITIONS_API_KEY: 'made-at-start',
  });
  delete process.env.POSITIONS_API_KEY_FILE;
  if (receivers !== undefined) process.env.RECEIVERS_SOCKET = receiversSocket(settings);
}
const listen = listenSettings(process.env);
const config = readConfig(process.env);
const problems = [
  ...(listen.ok ? [] : listen.problems),
  ...(config.ok ? [] : config.problems),
  ...(usesEmbedded ? embeddedProblems(settings) : []),
  ...(usesEmbedded && settings.DATABASE_URL?.trim()
    ? ['DATABASE_URL is for several servers with one upstream: set POSITIONS_API_URL, or leave out DATABASE_URL']
    : []),
  ...(receivers !== undefined && settings.RECEIVERS_SOCKET?.trim()
    ? ['RECEIVERS_SOCKET is for a service that runs apart: leave it out, or leave out RECEIVERS']
    : []),
  ...(usesEmbedded || receivers === undefined
    ? []
    : ['RECEIVERS is for the embedded service: leave it out, or leave out POSITIONS_API_URL']),
];
if (!listen.ok || !config.ok || problems.length > 0) cannotStart(problems);

try {
  try {
    await prepareBasemap(root, say);
    if (!dev) await prepareBuild(root, say);
  } catch (error) {
    throw new Error(diskRemedy(root, startProblem(error)) ?? startProblem(error));
  }
  if (usesEmbedded) {
    service = await startEmbeddedService(root, embeddedSource(settings), (code) => {
      process.stderr.write(`The embedded service exited with ${code}; Lookout stops.\n`);
      process.exit(1);
    });
    Object.assign(process.env, { POSITIONS_API_URL: service.baseUrl, POSITIONS_API_KEY: service.apiKey });
  }
  const { serveApp } = await import('./serving/serve-app.ts');
  const { host, port } = listen;
  const app = await serveApp({ root, host, port, dev, onUpstreamChange: service?.onChange });
  stopApp = app.stop;
  hasSignIn = app.hasSignIn;
} catch (error) {
  if (!isStopping) cannotStart([startProblem(error)]);
}

const { oidc, upstream } = config.config;
if (!isStopping) say(`Lookout is at ${listen.address}`);
say(`  positions: ${positionsText()}`);
say(`  sign-in: ${signInText()}`);

function signInText(): string {
  if (!hasSignIn) return 'none needed, Lookout listens on this machine only';
  return oidc ? `operators, and SSO users of ${oidc.issuer}` : 'operators; list them with npm run operator -- list';
}

function positionsText(): string {
  if (!usesEmbedded) return upstream.baseUrl;
  if (receivers !== undefined) {
    return `positions received by ${receivers}; their state: npm run service -- feeds --data ${dirname(receiversSocket(settings))}`;
  }
  return `the embedded service, ${embeddedSource(settings).slice(1).join(' ')}; everything it shows is simulated`;
}
