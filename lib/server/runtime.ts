import 'server-only';
import { createHash } from 'node:crypto';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { Accounts } from './accounts/accounts.ts';
import { Passkeys } from './accounts/passkeys.ts';
import { AuditFile } from './audit/audit-file.ts';
import { AuditLog } from './audit/audit-log.ts';
import { SharedAudit } from './audit/shared-audit.ts';
import { type Config, loadConfig } from './config.ts';
import { type Counts, counts } from './counts/counts.ts';
import { EmbeddedLeases } from './embedded/embedded-leases.ts';
import { EmbeddedLedger } from './embedded/embedded-ledger.ts';
import { EmbeddedLoadLines } from './embedded/embedded-load-lines.ts';
import { EmbeddedParts } from './embedded/embedded-parts.ts';
import { EmbeddedShortLived } from './embedded/embedded-short-lived.ts';
import { EmbeddedSnapshots } from './embedded/embedded-snapshots.ts';
import { EmbeddedTallies } from './embedded/embedded-tallies.ts';
import { startFleetEngine } from './fleet/fleet-engine.ts';
import { FleetStores } from './fleet/fleet-stores.ts';
import { HistoryReader } from './history/history-reader.ts';
import { PartCache } from './history/part-cache.ts';
import { type LiveEngine, startLiveEngine } from './live/live-engine.ts';
import { KeptDemandProfile } from './live/pace/demand-profile.ts';
import { StatusReader } from './live/status-reader.ts';
import { makeLog } from './log.ts';
import { RegionMaps } from './maps/region-maps.ts';
import { Metrics, type MetricsSources, packageVersion } from './metrics/metrics.ts';
import { startMetricsListener } from './metrics/metrics-listener.ts';
import { PLACE_INDEX_PATH, PlaceIndex } from './places/place-index.ts';
import type { SessionSecret } from './ports/session-secret.ts';
import type { Sessions } from './ports/sessions.ts';
import type { Views } from './ports/views.ts';
import { Readiness } from './readiness.ts';
import { ReceivedHome } from './receivers/received-home.ts';
import { ReceiversReader } from './receivers/receivers-reader.ts';
import { SingleSignOn, type SingleSignOnOptions } from './session/oidc/single-sign-on.ts';
import { Operators } from './session/operators.ts';
import { PasskeyChecks } from './session/passkeys/passkey-checks.ts';
import { PasskeyCounters } from './session/passkeys/passkey-counters.ts';
import { SESSIONS_FILE, SessionRegistry } from './session/session-registry.ts';
import { fixedSessionSecret, keptSessionSecret } from './session/session-secret.ts';
import { SignIn } from './session/sign-in.ts';
import { SignInThrottle } from './session/sign-in-throttle.ts';
import type { OidcConfig } from './settings/oidc-settings.ts';
import { lockDataDir } from './stores/data-dir-lock.ts';
import { openOrRenew, requireWholeDatabase } from './stores/open-or-renew.ts';
import { StoreHealth } from './stores/store-health.ts';
import { TrailKeeper } from './trails/trail-keeper.ts';
import { TrailsReader } from './trails/trails-reader.ts';
import { type ApiKeySource, apiKeyFromFile, fixedApiKey } from './upstream/api-key.ts';
import { sleep } from './upstream/unless-aborted.ts';
import { UpstreamClient } from './upstream/upstream-client.ts';
import type { UpstreamClock } from './upstream/upstream-clock.ts';
import { SavedViews } from './views/saved-views.ts';
import { SharedViews } from './views/shared-views.ts';

/** Sign-in; `undefined` in the runtime where none is needed. */
interface SessionRuntime {
  readonly operators: Operators;
  readonly registry: Sessions;
  readonly signIn: SignIn;
  readonly accounts: Accounts;
  readonly passkeys: Passkeys;
  readonly passkeyChecks: PasskeyChecks;
  /** `undefined` where no provider is set. */
  readonly singleSignOn: SingleSignOn | undefined;
  readonly secret: SessionSecret;
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
  readonly audit: AuditLog;
  readonly metrics: Metrics;
  /** `undefined` where metrics are read on this machine alone. */
  readonly metricsToken: ApiKeySource | undefined;
  /** Also for lib/front, which refuses requests before they come here. */
  readonly counts: Counts;
  readonly views: Views;
  readonly places: PlaceIndex;
  readonly home: ReceivedHome;
  /** `undefined` without receivers of one's own. */
  readonly receivers: ReceiversReader | undefined;
  readonly maps: RegionMaps;
  /** Listens where metrics are read, if that is set. @throws Error if it cannot */
  serveMetrics(): Promise<void>;
  readonly readiness: Readiness;
  /** Is no longer ready. Resolves when whoever asks before sending requests here has had time to see it. */
  leave(): Promise<void>;
  /** Sends no further request, and closes the stores. Nothing may be called afterwards. */
  close(): Promise<void>;
}

const holder = globalThis as { [runtimeSymbol]?: Runtime; [problemSymbol]?: unknown };
const runtimeSymbol = Symbol.for('lookout.runtime');
/** Why there is none. */
const problemSymbol = Symbol.for('lookout.start-problem');

/**
 * The single set of long-lived objects of this process. Stored on globalThis because instrumentation and route handlers are
 * separate module graphs, each with its own copy of this module.
 * @throws Error that says what to do, with every wrong setting or the store that cannot be opened
 */
export function runtime(): Runtime {
  if (holder[problemSymbol] !== undefined) throw holder[problemSymbol];
  try {
    holder[runtimeSymbol] ??= makeRuntime();
    return holder[runtimeSymbol];
  } catch (error) {
    holder[problemSymbol] = error;
    throw error;
  }
}

/** What the parts of the runtime are made with. */
interface Ground {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => LocalInstant;
  readonly health: StoreHealth;
  /** Opens a file of `DATA_DIR` that can be made anew if it is damaged. */
  renewable<Store>(name: string, open: (file: string) => Store): Store;
}

function makeRuntime(): Runtime {
  const config = loadConfig();
  const { log, end: endLog } = makeLog(config.logLevel);
  const now = () => localInstant(Date.now());
  if (config.plainHttp)
    log.warn(
      { setting: 'ALLOW_PLAIN_HTTP' },
      'other machines may reach Lookout without TLS: whoever is on the way can read passwords, take over sessions, and see and change what is shown; end it with a proxy that has TLS',
    );
  const lock = lockDataDir(config.dataDir);
  const health = new StoreHealth((report) => {
    if (report.problem === undefined) log.warn({ store: report.store }, 'a file can be written again');
    else log.error({ store: report.store, problem: report.problem, err: report.error }, 'a file cannot be written');
  });
  const ground: Ground = {
    config,
    log,
    now,
    health,
    renewable: (name, open) =>
      openOrRenew(join(config.dataDir, name), open, now, ({ file, setAsideAs, error }) =>
        log.warn({ file, set_aside_as: setAsideAs, err: error }, 'a damaged file was set aside and begun anew'),
      ),
  };
  const reportViews = (error: unknown) => log.error({ err: error }, 'the saved views cannot be read or written');
  const viewsFile = new SavedViews(join(config.dataDir, 'views.sqlite'), reportViews);
  viewsFile.open();
  const places = new PlaceIndex(PLACE_INDEX_PATH);
  places.open();
  const auditFile = new AuditFile(join(config.dataDir, 'audit.sqlite'));
  const audit = auditLog(ground, auditFile);
  const trails = new TrailKeeper();
  const fleet =
    config.redis &&
    new FleetStores(config.redis, {
      account: accountName(config.upstream.baseUrl),
      auditDays: config.auditDays,
      upstreamNow: () => client.clock.now(),
      trails,
      now,
      log,
    });
  if (fleet) counts().today = fleet.spent;
  const sharedAudit =
    fleet && new SharedAudit({ file: auditFile, rows: fleet.auditRows, days: config.auditDays, now, log });
  sharedAudit?.start();
  const sharedViews = fleet && new SharedViews({ file: viewsFile, rows: fleet.viewRows, now, report: reportViews });
  sharedViews?.start();
  const { close: closeUpstream, client, kept, ...upstream } = upstreamRuntime(ground, fleet, trails);
  const sessions = sessionRuntime(ground, fleet, client.clock);
  const { status, history } = upstream;
  const { port, tokenFile } = config.metrics;
  const metrics = new Metrics({
    version: packageVersion(),
    status,
    history,
    kept,
    client,
    sessions,
    audit,
    sharedStore: fleet?.connection,
  });
  let metricsListener: Server | undefined;
  const readiness = new Readiness({
    upstreamUrl: config.upstream.baseUrl,
    dataDir: config.dataDir,
    health,
    sharedStore: fleet?.connection,
    isKeyRefused: () => client.isKeyRefused(),
    isAuditWritten: () => audit.waiting === 0,
    now,
  });
  return {
    config,
    log,
    ...upstream,
    sessions,
    audit,
    counts: counts(),
    metrics,
    metricsToken: tokenFile === undefined ? undefined : apiKeyFromFile(tokenFile),
    views: sharedViews ?? viewsFile,
    places,
    home: new ReceivedHome(config.hasSetHome ? undefined : config.receiversSocket, config.home),
    receivers: config.receiversSocket === undefined ? undefined : new ReceiversReader(config.receiversSocket, now),
    maps: new RegionMaps(config.maps),
    async serveMetrics() {
      if (port === undefined) return;
      const failed = (error: unknown) => log.error({ err: error }, 'the metrics cannot be read');
      metricsListener = await startMetricsListener(port, metrics, failed);
    },
    readiness,
    async leave() {
      readiness.leave();
      await delay(config.drainMs);
    },
    async close() {
      metricsListener?.close();
      metricsListener?.closeAllConnections();
      await closeUpstream();
      await sharedAudit?.close();
      await sharedViews?.close();
      await fleet?.close();
      audit.close();
      viewsFile.close();
      lock.release();
      await endLog();
    },
  };
}

type UpstreamRuntime = Pick<Runtime, 'live' | 'trails' | 'status' | 'history' | 'clock' | 'close'> & {
  readonly client: UpstreamClient;
  readonly kept: MetricsSources['kept'];
};

function upstreamRuntime(
  { config, log, now, health, renewable }: Ground,
  fleet: FleetStores | undefined,
  trails: TrailKeeper,
): UpstreamRuntime {
  const { key, baseUrl, trackPrefix, embedded } = config.upstream;
  // The embedded service starts with a new account each time, so there is nothing to persist.
  const ledger =
    fleet?.ledger ??
    new EmbeddedLedger(embedded ? ':memory:' : join(config.dataDir, accountFile('ledger', baseUrl)), health);
  const client = new UpstreamClient({
    baseUrl,
    key: 'file' in key ? apiKeyFromFile(key.file) : fixedApiKey(key.value),
    trackPrefix,
    ledger,
    now,
    random: Math.random,
    log,
  });
  const snapshots = fleet?.snapshots ?? new EmbeddedSnapshots();
  const kept = renewable('demand-profile.json', (file) => new KeptDemandProfile(file, health));
  const engine = {
    client,
    ledger,
    leases: fleet?.leases ?? new EmbeddedLeases(),
    snapshots,
    trails,
    profile: kept.profile,
    now,
    random: Math.random,
  };
  const live = fleet
    ? startFleetEngine({ ...engine, ...fleet.planning, name: config.replicaName, log })
    : startLiveEngine(engine);
  const { watched } = live;
  const cache = embedded
    ? new PartCache(undefined)
    : renewable(accountFile('history', baseUrl), (file) => {
        requireWholeDatabase(file);
        return new PartCache(file, undefined, health);
      });
  return {
    client,
    kept: () => ({ past: cache.memoryBytes, trails: trails.positions.memoryBytes }),
    live,
    trails: new TrailsReader(trails, client.clock),
    clock: client.clock,
    status: new StatusReader({ clock: client.clock, ledger, snapshots, watched, now }),
    history: new HistoryReader({
      client,
      ledger,
      cache,
      shared: fleet?.parts ?? new EmbeddedParts(),
      lines: fleet?.loadLines ?? new EmbeddedLoadLines(),
      expectedPerSecond: (layer, bbox) => watched.expectedPerSecond(layer, bbox),
      livePerS: () => watched.refreshesPerS,
      hasSignIn: config.hasSignIn,
      now,
      sleep,
    }),
    async close() {
      await live.close();
      await client.close();
      await ledger.close();
      cache.close();
      kept.close();
    },
  };
}

function auditLog({ config, log, now, health }: Ground, file: AuditFile): AuditLog {
  return new AuditLog({
    file,
    days: config.auditDays,
    now,
    health,
    onRecord: ({ operator, address, requestId }, { kind }) => {
      const level = kind === 'sign_in_refused' ? 'warn' : 'info';
      log[level]({ request_id: requestId, operator: operator?.id, address, event: kind }, 'recorded in the audit log');
    },
  });
}

/** State of an account is stored under the address where the account is used. */
function accountName(baseUrl: string): string {
  return createHash('sha256').update(baseUrl).digest('hex').slice(0, 8);
}

function accountFile(name: string, baseUrl: string): string {
  return `${name}-${accountName(baseUrl)}.sqlite`;
}

function sessionRuntime(
  { config, log, now, health, renewable }: Ground,
  fleet: FleetStores | undefined,
  clock: UpstreamClock,
): SessionRuntime | undefined {
  const { hasSignIn, operatorsFile, oidc, relyingParty, requirePasskeys: isRequired } = config;
  if (!hasSignIn) return undefined;
  const operators = new Operators(operatorsFile, log);
  const secret =
    config.sessionSecret === undefined && fleet
      ? fleet.secret
      : fixedSessionSecret(config.sessionSecret ?? renewable('session-secret', keptSessionSecret));
  const registry =
    fleet?.sessions ??
    renewable(SESSIONS_FILE, (file) => {
      requireWholeDatabase(file);
      return new SessionRegistry(file, now, health);
    });
  const shortLived = fleet?.shortLived ?? new EmbeddedShortLived(now);
  const tallies = fleet?.tallies ?? new EmbeddedTallies();
  const throttle = new SignInThrottle(tallies, now);
  const signIn = new SignIn(operators, registry, throttle, now, isRequired);
  const counters = fleet?.passkeyCounts ?? new PasskeyCounters(join(config.dataDir, SESSIONS_FILE));
  const passkeyChecks = new PasskeyChecks({ operators, registry, throttle, counters, shortLived, relyingParty, log });
  const spent = () => counts().today.read(clock.now());
  const accounts = new Accounts({
    operators,
    registry,
    signIn,
    requiresPasskeys: isRequired,
    spent,
    isSpentWhole: counts().today.isWhole,
    now,
  });
  return {
    operators,
    registry,
    signIn,
    accounts,
    passkeys: new Passkeys({
      accounts,
      operators,
      registry,
      signIn,
      checks: passkeyChecks,
      shortLived,
      relyingParty,
      isRequired,
      now,
    }),
    passkeyChecks,
    singleSignOn: oidc && singleSignOn(oidc, { secret, shortLived, tallies, now, log }),
    secret,
  };
}

function singleSignOn(oidc: OidcConfig, options: SingleSignOnOptions): SingleSignOn {
  const clientSecret = apiKeyFromFile(oidc.clientSecretFile);
  return new SingleSignOn({ ...oidc, clientSecret: () => clientSecret.current().value }, options);
}
