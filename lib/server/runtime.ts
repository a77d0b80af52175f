import 'server-only';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { instantFromMs } from '#lib/time/instant.ts';
import { type Config, loadConfig } from './config.ts';
import { LiveReader } from './live/live-reader.ts';
import { makeLog } from './log.ts';
import { Operators } from './session/operators.ts';
import { SessionRegistry } from './session/session-registry.ts';
import { keptSessionSecret } from './session/session-secret.ts';
import { SignIn } from './session/sign-in.ts';
import { SignInThrottle } from './session/sign-in-throttle.ts';
import { apiKeyFromFile, fixedApiKey } from './upstream/api-key.ts';
import { UpstreamClient } from './upstream/upstream-client.ts';

/** Signing in; `undefined` in the runtime where nobody needs to. */
interface SessionRuntime {
  readonly operators: Operators;
  readonly registry: SessionRegistry;
  readonly signIn: SignIn;
  readonly secret: string;
}

export interface Runtime {
  readonly config: Config;
  readonly log: Logger;
  readonly live: LiveReader;
  readonly sessions: SessionRuntime | undefined;
}

const holder = globalThis as { [runtimeSymbol]?: Runtime };
const runtimeSymbol = Symbol.for('lookout.runtime');

/**
 * The process's one set of long-lived parts. It lives on globalThis because instrumentation and route handlers are separate
 * module graphs, each with its own copy of this module.
 * @throws Error that lists every wrong setting
 */
export function runtime(): Runtime {
  holder[runtimeSymbol] ??= makeRuntime();
  return holder[runtimeSymbol];
}

function makeRuntime(): Runtime {
  const config = loadConfig();
  const log = makeLog(config.logLevel);
  const now = () => instantFromMs(Date.now());
  const { key, baseUrl, trackPrefix } = config.upstream;
  const client = new UpstreamClient({
    baseUrl,
    key: 'file' in key ? apiKeyFromFile(key.file) : fixedApiKey(key.value),
    trackPrefix,
    now,
    random: Math.random,
    log,
  });
  return { config, log, live: new LiveReader(client, now), sessions: sessionRuntime(config, log, now) };
}

function sessionRuntime(
  config: Config,
  log: Logger,
  now: () => ReturnType<typeof instantFromMs>,
): SessionRuntime | undefined {
  if (config.operatorsFile === undefined) return undefined;
  const operators = new Operators(config.operatorsFile, log);
  const { dataDir } = config;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(`Lookout cannot start:\n  DATA_DIR names ${dataDir}, which cannot be made: ${String(error)}`);
  }
  const registry = new SessionRegistry(join(dataDir, 'sessions.sqlite'), now);
  return {
    operators,
    registry,
    signIn: new SignIn(operators, registry, new SignInThrottle()),
    secret: config.sessionSecret ?? keptSessionSecret(join(dataDir, 'session-secret')),
  };
}
