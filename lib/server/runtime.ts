import 'server-only';
import type { Logger } from 'pino';
import type { Layer } from '#lib/model/position.ts';
import type { Counts } from './allowance/counts.ts';
import type { AuditLog } from './audit/audit-log.ts';
import type { Doctor } from './doctor/doctor.ts';
import type { IncidentDesk } from './incidents/incident-desk.ts';
import type { PlaceIndex } from './maps/place-index.ts';
import type { RegionMaps } from './maps/region-maps.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { PageErrorLog } from './metrics/page-error-log.ts';
import type { Readiness } from './metrics/readiness.ts';
import type { OverviewAnswers } from './overview/overview-answers.ts';
import type { ReadTokens } from './read-access/read-tokens.ts';
import type { DeliveryRuntime } from './runtime/delivery-runtime.ts';
import type { SessionRuntime } from './runtime/session-runtime.ts';
import type { UpstreamRuntime } from './runtime/upstream-runtime.ts';
import type { ZoneRuntime } from './runtime/zone-runtime.ts';
import type { Config } from './settings/config.ts';
import type { StreetMap } from './street-map/street-map.ts';
import type { ApiKeySource } from './upstream/api-key.ts';
import type { ReceivedHome, ReceiversReader } from './upstream/receivers-reader.ts';
import type { Overlays } from './views/overlays.ts';
import type { SavedViews } from './views/saved-views.ts';
import type { Work } from './work/work.ts';

/**
 * The parts of the process, by types alone: a route that reaches them loads none of those that it does not use.
 * `compose.ts` makes them.
 */
export interface Runtime
  extends Pick<UpstreamRuntime, 'live' | 'trails' | 'status' | 'history' | 'clock' | 'snapshots'>,
    Pick<ZoneRuntime, 'zones' | 'prices' | 'watched' | 'alarms' | 'permits' | 'seenAlarms' | 'handOver' | 'presence'>,
    Pick<DeliveryRuntime, 'destinations' | 'deliveries' | 'push'> {
  readonly config: Config;
  readonly log: Logger;
  readonly sessions: SessionRuntime | undefined;
  readonly audit: AuditLog;
  /** Received positions and watched time, by place and hour. */
  readonly overview: OverviewAnswers;
  readonly incidents: IncidentDesk;
  readonly metrics: Metrics;
  readonly metricsToken: ApiKeySource | undefined;
  readonly counts: Counts;
  readonly pageErrors: PageErrorLog;
  readonly views: SavedViews;
  readonly overlays: Overlays;
  readonly places: PlaceIndex;
  readonly readTokens: ReadTokens;
  readonly home: ReceivedHome;
  /** `undefined` without own receivers. */
  readonly receivers: ReceiversReader | undefined;
  readonly maps: RegionMaps;
  readonly streetMap: StreetMap;
  readonly work: Work;
  upstreamChanged(layer: Layer): void;
  /** Listens if a port is set. @throws Error if it cannot */
  serveMetrics(): Promise<void>;
  readonly readiness: Readiness;
  readonly doctor: Doctor;
  /** Resolves when load balancers have had time to notice. */
  leave(): Promise<void>;
  /** Afterwards nothing of the runtime may be called. */
  close(): Promise<void>;
}

const holder = globalThis as { [runtimeSymbol]?: Runtime };
const runtimeSymbol = Symbol.for('lookout.runtime');

/**
 * The runtime is on globalThis, because instrumentation and route handlers have own copies of this module.
 * @throws Error before the start
 */
export function runtime(): Runtime {
  const { [runtimeSymbol]: started } = holder;
  if (!started) throw new Error('the runtime was not started');
  return started;
}

export function setRuntime(started: Runtime): void {
  holder[runtimeSymbol] = started;
}
