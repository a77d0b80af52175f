import { dirname } from 'node:path';
import { commandText } from '#lib/commands/command-text.ts';
import {
  type EmbeddedService,
  embeddedReceivers,
  embeddedSource,
  receiversSocket,
  startEmbeddedService,
} from '../setup/embedded-service.ts';
import { cannotStart, endOnRequest, startProblem } from './server-program.ts';
import { readStart } from './start-settings.ts';

/** Clones and releases differ in this alone. */
export interface Installation {
  readonly root: string;
  readonly dev: boolean;
  /** Program of the embedded service, which this Node runs. */
  readonly serviceProgram: string;
  /** Makes what is missing, or checks that it is there. @throws Error that says what to do */
  prepare(): Promise<void>;
  endPreparing?(): void;
}

const say = (progress: string) => process.stdout.write(`${progress}\n`);

/** Checks the settings, starts the embedded service if there is no upstream, and serves the app until a signal. */
export async function startLookout(installation: Installation): Promise<void> {
  const { root, dev, serviceProgram } = installation;
  let service: EmbeddedService | undefined;
  let stopApp: (() => Promise<void>) | undefined;
  let isStopping = false;
  endOnRequest(async () => {
    isStopping = true;
    installation.endPreparing?.();
    await stopApp?.();
    await service?.stop();
  });

  // Next and the settings read this environment.
  Object.assign(process.env, { NODE_ENV: dev ? 'development' : 'production' });
  const settings = { ...process.env };
  const usesEmbedded = !settings.POSITIONS_API_URL?.trim();
  const { listen, config, problems } = readStart(root, process.env);
  if (!listen.ok || !config.ok || problems.length > 0) cannotStart(problems);
  const { oidc, upstream } = config.config;
  let hasSignIn = true;
  try {
    await installation.prepare();
    if (usesEmbedded && !isStopping) {
      service = await startEmbeddedService(serviceProgram, root, embeddedSource(settings), (code) => {
        process.stderr.write(`The embedded service exited with ${code}; Lookout stops.\n`);
        process.exit(1);
      });
      Object.assign(process.env, { POSITIONS_API_URL: service.baseUrl, POSITIONS_API_KEY: service.apiKey });
    }
    const { serveApp } = await import('./serve-app.ts');
    const { host, port } = listen;
    const app = await serveApp({ root, host, port, dev, onUpstreamChange: service?.onChange });
    stopApp = app.stop;
    hasSignIn = app.hasSignIn;
  } catch (error) {
    if (!isStopping) cannotStart([startProblem(error)]);
  }
  if (isStopping) return;
  say(`Lookout is at ${listen.address}`);
  say(`  positions: ${usesEmbedded ? embeddedText(settings) : upstream.baseUrl}`);
  say(`  sign-in: ${hasSignIn ? signInText(oidc?.issuer) : 'none needed, Lookout listens on this machine only'}`);
}

function signInText(issuer: string | undefined): string {
  return issuer === undefined
    ? `operators; list them with ${commandText('operator', 'list')}`
    : `operators, and SSO users of ${issuer}`;
}

function embeddedText(settings: NodeJS.ProcessEnv): string {
  const receivers = embeddedReceivers(settings);
  if (receivers === undefined)
    return `the embedded service, ${embeddedSource(settings).slice(1).join(' ')}; everything it shows is simulated`;
  const feeds = commandText('service', `feeds --data ${dirname(receiversSocket(settings))}`);
  return `positions received by ${receivers}; their state: ${feeds}`;
}
