// Makes the parts of the process, joins them, and closes them in order. Each exists once. Routes never import it: they
// would load every part.
import 'server-only';
import type { Server } from 'node:http';
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandText } from '#lib/commands/command-text.ts';
import { epochMs, formatLocalInstant, localInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { type MachineClocks, SteadyClock } from '#lib/time/steady-clock.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { counts } from './allowance/counts.ts';
import { SpentToday } from './allowance/spent-today.ts';
import { AuditEvents } from './audit/audit-events.ts';
import { AuditLog } from './audit/audit-log.ts';
import { dataDirProblem, lockDataDir, refuseOldDataDir } from './database/data-dir.ts';
import { DatabaseFailure } from './database/database-failure.ts';
import { openDatabase } from './database/open-database.ts';
import { Doctor } from './doctor/doctor.ts';
import { IncidentDesk } from './incidents/incident-desk.ts';
import { AreaReads } from './live/area-reads.ts';
import { mapsFolder } from './maps/map-setting.ts';
import { PLACE_INDEX_PATH, PlaceIndex } from './maps/place-index.ts';
import { RegionMaps } from './maps/region-maps.ts';
import { readLastBackup } from './metrics/last-backup.ts';
import { Metrics } from './metrics/metrics.ts';
import { startMetricsListener } from './metrics/metrics-listener.ts';
import { PageErrorLog } from './metrics/page-error-log.ts';
import { Readiness } from './metrics/readiness.ts';
import { OverviewAnswers } from './overview/overview-answers.ts';
import { OverviewStore } from './overview/overview-store.ts';
import { OverviewTally } from './overview/overview-tally.ts';
import { ReadTokens } from './read-access/read-tokens.ts';
import { deliveryRuntime } from './runtime/delivery-runtime.ts';
import { type Log, makeLog } from './runtime/log.ts';
import type { ProcessBase } from './runtime/process-base.ts';
import { pushStanding, requireWayIn, sessionRuntime } from './runtime/session-runtime.ts';
import { upstreamRuntime } from './runtime/upstream-runtime.ts';
import { zoneRuntime } from './runtime/zone-runtime.ts';
import { type Runtime, setRuntime } from './runtime.ts';
import { type Config, loadConfig } from './settings/config.ts';
import { Operators } from './sign-in/operators.ts';
import { StreetMap } from './street-map/street-map.ts';
import { Supervisor } from './supervision/supervisor.ts';
import { apiKeyFromFile } from './upstream/api-key.ts';
import { ReceivedHome, ReceiversReader } from './upstream/receivers-reader.ts';
import { Overlays } from './views/overlays.ts';
import { SavedViews } from './views/saved-views.ts';
import { Work } from './work/work.ts';
import type { CurrentZones } from './zones/current-zones.ts';
import { ALONE, SHARED_ONLY } from './zones/zone-rows.ts';

/**
 * An address of a name has so long before the next is tried. Node's default of 250 ms fails every address behind a
 * satellite.
 */
const ADDRESS_MS = 1000;

interface RuntimeStart {
  /** The configuration is read from the environment by default. */
  readonly config?: Config;
  /** The log writes lines to standard error by default. */
  readonly log?: Log;
  readonly clocks?: MachineClocks;
}

const MACHINE: MachineClocks = { monotonicMs: () => performance.now(), wallMs: () => Date.now() };

/** @throws Error that says what to do */
export async function startRuntime({
  config = loadConfig(),
  log = makeLog(config.logLevel),
  clocks = MACHINE,
}: RuntimeStart = {}): Promise<Runtime> {
  setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_MS);
  try {
    const opened = await openRuntime(config, log, clocks);
    setRuntime(opened);
    return opened;
  } catch (error) {
    if (error instanceof DatabaseFailure && config.database.dialect === 'postgres') throw error;
    throw dataDirProblem(config.dataDir, error) ?? error;
  }
}

async function openRuntime(config: Config, { log, end: endLog }: Log, clocks: MachineClocks): Promise<Runtime> {
  log.info({ version: LOOKOUT_VERSION, node: process.versions.node }, 'Lookout starts');
  const machine = new SteadyClock(clocks);
  const now = () => localInstant(machine.nowMs());
  const wallNow = () => localInstant(machine.wallMs());
  const endWatch = watchClock(machine, log);
  if (config.plainHttp)
    log.warn(
      { setting: 'ALLOW_PLAIN_HTTP' },
      'other machines may reach Lookout without TLS: any machine on the way can read passwords, take over sessions and change the picture. Use a proxy with TLS.',
    );
  const lock = lockDataDir(config.dataDir);
  refuseOldDataDir(resolve(config.dataDir));
  const database = await openDatabase(config.database, {
    upgrades: true,
    say: (text) => log.warn(text),
    report: (failure) => {
      if (failure) log.error({ problem: failure.kind, err: failure }, 'the database cannot be used');
      else log.warn('the database can be used again');
    },
    defect: (error) => log.error({ err: error }, 'the schema of the database could not be checked'),
    odd: (count) =>
      log.warn({ count }, 'ignored notices that no server of Lookout sends: revoke CONNECT from other roles'),
  });
  const supervisor = new Supervisor({ now, log });
  const ground: ProcessBase = {
    supervisor,
    config,
    log,
    now,
    wallNow,
    clock: machine,
    database,
  };
  const operators = await Operators.open(database, supervisor.part('operators'));
  const hasSignIn = requireWayIn(config, operators.all().length);
  const places = new PlaceIndex(PLACE_INDEX_PATH);
  const streetMap = new StreetMap({
    source: config.mapSource,
    folder: mapsFolder(config.dataDir),
    now: wallNow,
    onDefect: (error) => log.error({ err: error }, 'the street map could not be written'),
  });
  places.open();
  const audit = auditLog(ground);
  const reads = new AreaReads();
  counts().today = new SpentToday({ database, part: supervisor.part('spending') });
  const account = await upstreamRuntime(ground, reads, hasSignIn);
  const { live, trails, status, history, clock, snapshots, client, kept } = account;
  const { current, watch, close: closeZones, ...zones } = await zoneRuntime(ground, reads, account);
  const receivers =
    config.receiversSocket === undefined ? undefined : new ReceiversReader(config.receiversSocket, wallNow);
  const sessions = hasSignIn ? await sessionRuntime(ground, operators, client.clock) : undefined;
  const { close: closeDelivery, ...delivery } = deliveryRuntime(
    ground,
    account,
    { current, watch, watched: zones.watched },
    audit,
    reads,
    receivers,
    pushStanding(sessions, ground),
  );
  const overviews = new OverviewStore(database);
  const overview = new OverviewAnswers(overviews, () => clock.now());
  const tally = new OverviewTally({
    store: overviews,
    lease: account.lease,
    reads,
    now: () => clock.now(),
    part: supervisor.part('overview'),
  });
  const { port, tokenFile } = config.metrics;
  const metrics = new Metrics({
    status,
    history,
    kept,
    client,
    sessions,
    audit,
    machineClock: machine,
    servers: config.database.dialect === 'postgres' ? { database, lease: account.lease } : undefined,
    database,
    supervisor,
    operators: () => (hasSignIn ? operators.all().length : null),
    watched: async () => {
      const present = await zones.watched.present();
      return activeZones(current, clock.now()).map(({ id }) => present.get(id));
    },
    destinations: () => delivery.destinations.list(),
    lastBackup: () => readLastBackup(config.dataDir),
    receivers,
    wallNow,
  });
  let metricsListener: Server | undefined;
  const readiness = new Readiness({
    upstreamUrl: config.upstream.baseUrl,
    dataDir: config.dataDir,
    isKeyRefused: () => client.isKeyRefused(),
    database,
    failing: () => supervisor.recent,
    now,
    log,
  });
  return {
    config,
    log,
    live,
    trails,
    status,
    history,
    clock,
    snapshots,
    ...zones,
    ...delivery,
    overview,
    incidents: new IncidentDesk({
      database,
      now: () => clock.now(),
      everyone: hasSignIn ? SHARED_ONLY : ALONE,
      audit: new AuditEvents(database),
      watched: zones.watched,
      reception: (area, signal) => overview.reception(area, signal),
      settings: {
        upstream: config.upstream.embedded ? 'embedded service' : new URL(config.upstream.baseUrl).host,
        has_allowance: config.upstream.hasAllowance,
        alarm_days: config.alarmDays,
      },
    }),
    sessions,
    audit,
    counts: counts(),
    pageErrors: new PageErrorLog((details, message) => log.warn(details, message), clocks.monotonicMs),
    metrics,
    metricsToken: tokenFile === undefined ? undefined : apiKeyFromFile(tokenFile),
    views: new SavedViews(database),
    overlays: new Overlays(database),
    places,
    readTokens: new ReadTokens({
      database,
      now: wallNow,
      monotonicMs: clocks.monotonicMs,
      part: supervisor.part('read_tokens'),
    }),
    home: new ReceivedHome(config.hasSetHome ? undefined : config.receiversSocket, config.home),
    receivers,
    maps: new RegionMaps(config.maps, mapsFolder(config.dataDir)),
    streetMap,
    work: new Work(),
    upstreamChanged: (layer) => live.upstreamChanged(layer),
    async serveMetrics() {
      if (port === undefined) return;
      const failed = (error: unknown) => log.error({ err: error }, 'the metrics cannot be read');
      metricsListener = await startMetricsListener(port, metrics, failed);
    },
    readiness,
    doctor: new Doctor({
      config,
      database,
      readiness,
      status,
      clock,
      receivers,
      wallNow,
      monotonicMs: clocks.monotonicMs,
      log,
    }),
    async leave() {
      readiness.leave();
      // The next writer begins at once.
      await live.leave();
      await delay(config.drainMs);
      // Pages that wait for alarms would delay the stop.
      zones.alarms.close();
    },
    async close() {
      endWatch();
      streetMap.close();
      metricsListener?.close();
      metricsListener?.closeAllConnections();
      await closeDelivery();
      await closeZones();
      await tally.close();
      await account.close();
      await counts().today.close();
      await operators.close();
      await sessions?.registry.shutDown();
      await audit.close();
      await database.close();
      lock.release();
      await endLog();
    },
  };
}

/** Logs steps of the wall clock. @returns the end of watching */
function watchClock(clock: SteadyClock, log: ProcessBase['log']): () => void {
  const endListening = clock.onStep(({ ms, wallMs }) =>
    log.warn(
      { by_s: Math.round(ms) / SECOND_MS, now: formatLocalInstant(localInstant(wallMs)) },
      ms < 0
        ? 'the clock of this machine was set back; nothing waits for it, and what was recorded before has later times'
        : 'the clock of this machine was set forward, or the machine was suspended; all positions count as that much older until they are read again',
    ),
  );
  const timer = setInterval(() => clock.wallMs(), SECOND_MS).unref();
  return () => {
    clearInterval(timer);
    endListening();
  };
}

/** Zones with a rule, within their hours. */
function activeZones({ all }: Pick<CurrentZones, 'all'>, now: UpstreamInstant) {
  return all.filter(({ rules, activeHours }) => rules.length > 0 && activeHours.isActive(epochMs(now)));
}

function auditLog({ config, log, wallNow, database, supervisor }: ProcessBase): AuditLog {
  return new AuditLog({
    events: new AuditEvents(database),
    part: supervisor.part('audit'),
    days: config.auditDays,
    now: wallNow,
    onOverdue: ({ since, before }) =>
      log.warn(
        { since: formatLocalInstant(since), before: formatLocalInstant(before) },
        `entries of the audit log are older than AUDIT_DAYS if the clock is right; more than a day of them is deleted only by ${commandText('operator', 'audit --delete-before TIME')}`,
      ),
    onRecord: ({ operator, address, requestId }, { kind }) => {
      const level = kind === 'sign_in_refused' ? 'warn' : 'info';
      log[level]({ request_id: requestId, operator: operator?.id, address, event: kind }, 'recorded in the audit log');
    },
  });
}
