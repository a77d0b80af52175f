import { Server } from 'node:http';
import { join } from 'node:path';
import next from 'next';
import { builtAddresses } from '#lib/front/built-addresses.ts';
import { builtFiles } from '#lib/front/built-files.ts';
import { createFront, type FrontLimits } from '#lib/front/front.ts';
import { startedRuntime } from '#lib/front/started-runtime.ts';
import type { Layer } from '#lib/model/position.ts';
import { drainOf, listening } from './listening.ts';
import { consoleToLog, crashWithLine } from './process-log.ts';

/** With closing the stores, a stop takes less than 10 s. */
const DRAIN_MS = 8000;

const PRIVATE_UMASK = 0o077;

export interface AppToServe {
  readonly root: string;
  readonly host: string;
  readonly port: number;
  readonly dev: boolean;
  readonly onUpstreamChange?: ((listener: (layer: Layer) => void) => void) | undefined;
  /** For tests that would wait too long. */
  readonly limits?: Partial<FrontLimits>;
}

export interface ServedApp {
  readonly hasSignIn: boolean;
  /** Answers for another `DRAIN_SECONDS`, then ends within 10 s. */
  stop(): Promise<void>;
}

/** @throws Error that says what to do */
export async function serveApp({
  root,
  host,
  port,
  dev,
  onUpstreamChange,
  limits = {},
}: AppToServe): Promise<ServedApp> {
  process.umask(PRIVATE_UMASK);
  // Next listens for upgrades at this server, which never listens.
  const app = next({ dev, dir: root, hostname: host, port, httpServer: new Server() });
  await app.prepare();
  const { runtime, answerPoll, knownSession, signInState } = await startedRuntime();
  const { config, log, counts, serveMetrics, leave, close } = runtime;
  onUpstreamChange?.(runtime.upstreamChanged);
  if (!dev) {
    crashWithLine(log);
    consoleToLog(log);
  }
  const server = createFront({
    settings: config,
    dev,
    answer: app.getRequestHandler(),
    // In development, it would stay the handler of the start.
    answerPoll: dev ? undefined : answerPoll,
    answerFile: dev ? undefined : builtFiles(join(root, '.next/static')),
    knownSession,
    signInState: dev ? undefined : signInState,
    kindOf: dev ? undefined : builtAddresses(root),
    limits,
    onError: (error) => log.error({ err: error }, 'a request failed'),
    onRefused: ({ code }, requestId) => {
      log.debug({ request_id: requestId, code }, 'refused before it was read');
      counts.answers['4xx']++;
      counts.refusals[code]++;
    },
  });
  const drain = drainOf(server);
  if (dev)
    server.on('upgrade', (request, socket, head) => {
      app
        .getUpgradeHandler()(request, socket, head)
        .catch((error) => log.error({ err: error }, 'an upgrade failed'));
    });
  await serveMetrics();
  await listening(server, host, port);
  return {
    hasSignIn: runtime.sessions !== undefined,
    async stop() {
      await leave();
      await drain(DRAIN_MS);
      await close();
    },
  };
}
