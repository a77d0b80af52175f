import 'server-only';
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { type Config, loadConfig } from './config.ts';
import { EmbeddedLeases } from './embedded/embedded-leases.ts';
import { EmbeddedLedger } from './embedded/embedded-ledger.ts';
import { EmbeddedSnapshots } from './embedded/embedded-snapshots.ts';
import { HistoryReader } from './history/history-reader.ts';
import { PartCache } from './history/part-cache.ts';
import { type LiveEngine, startLiveEngine } from './live/live-engine.ts';
import { keptDemandProfile } from './live/pace/demand-profile.ts';
import { StatusReader } from './live/status-reader.ts';
import { RegionMaps } from './maps/region-maps.ts';
import { PLACE_INDEX_PATH, PlaceIndex } from './places/place-index.ts';
import { Operators } from './session/operators.ts';
import { SessionRegistry } from './session/session-registry.ts';
import { keptSessionSecret } from './session/session-secret.ts';
import { SignIn } from './session/sign-in.ts';
import { SignInThrottle } from './session/sign-in-throttle.ts';
import { TrailKeeper } from './trails/trail-keeper.ts';
import { TrailsReader } from './trails/trails-reader.ts';
import { apiKeyFromFile, fixedApiKey } from './upstream/api-key.ts';
import { sleep } from './upstream/unless-aborted.ts';
import { UpstreamClient } from './upstream/upstream-client.ts';
import type { UpstreamClock } from './upstream/upstream-clock.ts';
import { SavedViews } from './views/saved-views.ts';

/** Sign-in; `undefined` in the runtime where none is needed. */
interface SessionRuntime {
  readonly operators: Operators;
  readonly registry: SessionRegistry;
  readonly signIn: SignIn;
  readonly secret: string;
}

export interface Runtime {
  readonly config: Config;
  readonly log: Logger;
  readonly live: LiveEngine;
  readonly trails: TrailsReader;
  readonly status: StatusReader;
  readonly history: HistoryReader;
  readonly clock: UpstreamClock;
  readonly sessions: SessionRuntime | undefined;
  readonly views: SavedViews;
  readonly places: PlaceIndex;
  readonly maps: RegionMaps;
}

const holder = globalThis as { [runtimeSymbol]?: Runtime };
const runtimeSymbol = Symbol.for('lookout.runtime');

/**
 * The single set of long-lived objects of this process. Stored on globalThis because instrumentation and route handlers are
 * separate module graphs, each with its own copy of this module.
 * @throws Error that lists every wrong setting
 */
export function runtime(): Runtime {
  holder[runtimeSymbol] ??= makeRuntime();
  return holder[runtimeSymbol];
}

function makeRuntime(): Runtime {
  const config = loadConfig();
  const log = makeLog(config.logLevel);
  const now = () => localInstant(Date.now());
  makeDataDir(config.dataDir);
  const views = new SavedViews(join(config.dataDir, 'views.sqlite'), (error) =>
    log.error({ err: error }, 'the saved views cannot be read or written'),
  );
  return {
    config,
    log,
    ...upstreamRuntime(config, log, now),
    sessions: sessionRuntime(config, log, now),
    views,
    places: new PlaceIndex(PLACE_INDEX_PATH),
    maps: new RegionMaps(config.maps),
  };
}

function upstreamRuntime(
  config: Config,
  log: Logger,
  now: () => LocalInstant,
): Pick<Runtime, 'live' | 'trails' | 'status' | 'history' | 'clock'> {
  const { key, baseUrl, trackPrefix, embedded } = config.upstream;
  // The embedded service starts with a new account each time, so there is nothing to persist.
  const ledger = new EmbeddedLedger(embedded ? ':memory:' : join(config.dataDir, accountFile('ledger', baseUrl)));
  const client = new UpstreamClient({
    baseUrl,
    key: 'file' in key ? apiKeyFromFile(key.file) : fixedApiKey(key.value),
    trackPrefix,
    ledger,
    now,
    random: Math.random,
    log,
  });
  const snapshots = new EmbeddedSnapshots();
  const trails = new TrailKeeper();
  const profile = keptDemandProfile(join(config.dataDir, 'demand-profile.json'));
  const live = startLiveEngine({
    client,
    ledger,
    leases: new EmbeddedLeases(),
    snapshots,
    trails,
    profile,
    now,
    random: Math.random,
  });
  const { scheduler } = live;
  return {
    live,
    trails: new TrailsReader(trails, client.clock),
    clock: client.clock,
    status: new StatusReader({ client, ledger, snapshots, scheduler, now }),
    history: new HistoryReader({
      client,
      ledger,
      cache: new PartCache(embedded ? undefined : join(config.dataDir, accountFile('history', baseUrl))),
      expectedPerSecond: (layer, bbox) => scheduler.expectedPerSecond(layer, bbox),
      now,
      sleep,
    }),
  };
}

/** State of an account is stored under the address where the account is used. */
function accountFile(name: string, baseUrl: string): string {
  return `${name}-${createHash('sha256').update(baseUrl).digest('hex').slice(0, 8)}.sqlite`;
}

function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(
      `Lookout cannot start:\n  DATA_DIR names ${dataDir}, which cannot be created; set DATA_DIR to a writable directory: ${String(error)}`,
    );
  }
}

function sessionRuntime(config: Config, log: Logger, now: () => LocalInstant): SessionRuntime | undefined {
  if (config.operatorsFile === undefined) return undefined;
  const operators = new Operators(config.operatorsFile, log);
  const { dataDir } = config;
  const registry = new SessionRegistry(join(dataDir, 'sessions.sqlite'), now);
  return {
    operators,
    registry,
    signIn: new SignIn(operators, registry, new SignInThrottle()),
    secret: config.sessionSecret ?? keptSessionSecret(join(dataDir, 'session-secret')),
  };
}

/** One JSON line per event, on standard error. Keys, cookies and positions are never logged. */
function makeLog(level: string): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: false }),
  );
}
