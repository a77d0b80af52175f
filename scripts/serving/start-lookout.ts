import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commandText } from '#lib/commands/command-text.ts';
import { readConfig } from '#lib/server/settings/config.ts';
import {
  type EmbeddedService,
  embeddedProblems,
  embeddedReceivers,
  embeddedSource,
  isRecording,
  receiversSocket,
  startEmbeddedService,
} from '../setup/embedded-service.ts';
import { cannotStart, endOnRequest, listenSettings, startProblem } from './server-program.ts';

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
  const { listen, oidc, baseUrl } = checkedSettings(root, settings, usesEmbedded);
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
  say(`  positions: ${usesEmbedded ? embeddedText(settings) : baseUrl}`);
  say(`  sign-in: ${hasSignIn ? signInText(oidc?.issuer) : 'none needed, Lookout listens on this machine only'}`);
}

/** Adds what the embedded service needs to the environment. Ends the process if a setting is wrong. */
function checkedSettings(root: string, settings: NodeJS.ProcessEnv, usesEmbedded: boolean) {
  const receivers = embeddedReceivers(settings);
  delete process.env.POSITIONS_EMBEDDED;
  delete process.env.POSITIONS_ALLOWANCE;
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
    ...(settings.DATA_DIR?.trim() || canKeepData(root)
      ? []
      : [`DATA_DIR is not set, and ${root} cannot be written: set it to a folder for data, such as /var/lib/lookout`]),
  ];
  if (!listen.ok || !config.ok || problems.length > 0) cannotStart(problems);
  return { listen, oidc: config.config.oidc, baseUrl: config.config.upstream.baseUrl };
}

/** Whether data can be kept in the folder `data`, the default. */
function canKeepData(root: string): boolean {
  const data = join(root, 'data');
  try {
    accessSync(existsSync(data) ? data : root, constants.W_OK);
    return true;
  } catch {
    return false;
  }
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
