import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Layer } from '#lib/contract/operation.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import type { Ledger } from '#lib/server/allowance/ledger.ts';
import { StoredLedger } from '#lib/server/allowance/stored-ledger.ts';
import { AreaReads } from '#lib/server/live/area-reads.ts';
import { AreaSnapshots } from '#lib/server/live/area-snapshots.ts';
import { LiveReader } from '#lib/server/live/live-reader.ts';
import { DemandProfile } from '#lib/server/live/pace/demand-profile.ts';
import type { ViewerPage } from '#lib/server/live/plan/demand.ts';
import { DemandOfAll } from '#lib/server/live/plan/demand-of-all.ts';
import { Densities } from '#lib/server/live/plan/densities.ts';
import { RequestScheduler } from '#lib/server/live/request-scheduler.ts';
import type { Snapshots } from '#lib/server/live/snapshots.ts';
import { StatusReader } from '#lib/server/live/status-reader.ts';
import { strictSupervisor } from '#lib/server/supervision/supervisor.fixture.ts';
import { TrailStore } from '#lib/server/trails/trail-store.ts';
import { TrailsReader } from '#lib/server/trails/trails-reader.ts';
import { apiKeyFromFile } from '#lib/server/upstream/api-key.ts';
import { UpstreamClient } from '#lib/server/upstream/upstream-client.ts';
import { addMs, localInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { observation } from '#service/conformance/listed-source.ts';
import { type RunningService, type ServiceOptions, startService } from '#service/server/start-service.ts';
import type { Observation, Source } from '#service/sources/observation.ts';

/** Ten seconds into a minute, in the middle of a UTC day. */
const START_MS = Date.UTC(2026, 10, 21, 12, 0, 10);

const VIEW: Bbox = { west: 8, south: 47, east: 9, north: 48 };

/** `count` tracks of each layer around 8.5° E, 47.5° N, received one second ago. */
export function steadyTraffic(count: number, place = { lon: 8.5, lat: 47.5 }): Source {
  const tracks = (layer: Layer, now: UpstreamInstant): Observation[] =>
    Array.from({ length: count }, (_, index) =>
      observation({
        sourceId: `${layer}-${index}`,
        layer,
        observedAt: addMs(now, -1000),
        lon: place.lon + (index % 40) / 100,
        lat: place.lat + Math.floor(index / 40) / 100,
      }),
    );
  return {
    live: (layer, bbox, now) => tracks(layer, now).filter(({ lon, lat }) => bboxContains(bbox, lon, lat)),
    history: () => ({ observations: [], more: false }),
  };
}

/** No test waits for it. */
const PATIENT_MS = 120_000;
const PATIENT_TIMEOUTS = { connectMs: PATIENT_MS, headersMs: PATIENT_MS, bodyMs: PATIENT_MS, totalMs: PATIENT_MS };

/** For tests of a silent service. */
export const SHORT_TIMEOUTS = { connectMs: 1000, headersMs: 400, bodyMs: 400, totalMs: 2500 };

interface OwnStores {
  readonly ledger: Ledger;
  readonly snapshots: Snapshots;
  readonly reads: AreaReads;
}

export interface LiveHarnessOptions extends Partial<ServiceOptions> {
  /** Epoch ms. */
  readonly startMs?: number;
  readonly stores?: OwnStores;
  readonly service?: RunningService;
}

/** On two equal clocks that move only when told to. */
export async function startLiveHarness(
  { startMs = START_MS, stores, service: running, ...options }: LiveHarnessOptions = {},
  timeouts = PATIENT_TIMEOUTS,
) {
  let nowMs = startMs;
  let serviceAheadMs = 0;
  const now = () => localInstant(nowMs);
  const service =
    running ??
    (await startService({
      source: steadyTraffic(3),
      now: () => upstreamInstant(nowMs + serviceAheadMs),
      // References rotate at the same times in every run.
      referenceSecret: new Uint8Array(32).fill(7),
      ...options,
    }));
  const folder = mkdtempSync(join(tmpdir(), 'lookout-key-'));
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, service.apiKey);
  const logged: string[] = [];
  const { ledger, snapshots, reads } = stores ?? {
    ledger: StoredLedger.inMemory(),
    snapshots: new AreaSnapshots(),
    reads: new AreaReads(),
  };
  const client = new UpstreamClient({
    baseUrl: service.baseUrl,
    ledger,
    key: apiKeyFromFile(keyFile),
    trackPrefix: undefined,
    now,
    // The longest wait, so that early requests can be counted.
    random: () => 0.999,
    log: pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }),
    timeouts,
  });
  const trails = new TrailStore(reads);
  client.clock.onSetBack((ms) => snapshots.setBack(ms));
  const scheduler = new RequestScheduler({
    supervisor: strictSupervisor(),
    client,
    ledger,
    snapshots,
    reads,
    profile: new DemandProfile(),
    demand: new DemandOfAll(),
    densities: new Densities(reads),
    now,
    // Exactly the interval, so that due refreshes can be counted.
    random: () => 0.5,
  });
  const reader = new LiveReader({
    planned: scheduler,
    snapshots,
    reads,
    clock: client.clock,
    now,
    isAnnounced: ledger.isUnlimited,
    firstViewWaitMs: PATIENT_MS,
  });
  const read = async (
    view: Bbox = VIEW,
    layers: readonly Layer[] = ['rid', 'adsb'],
    viewer: ViewerPage = { operator: 'local', session: undefined, page: 'only' },
  ) => {
    await reader.read(viewer, view, layers);
    await scheduler.tick();
    await scheduler.idle();
    return reader.read(viewer, view, layers);
  };
  return {
    service,
    client,
    ledger,
    snapshots,
    scheduler,
    reader,
    trails: new TrailsReader(trails, client.clock),
    status: new StatusReader({
      clock: client.clock,
      ledger,
      snapshots,
      planned: scheduler,
      checkAccount: () => client.retryAccount(),
      now,
    }),
    logged,
    now,
    moveClock(ms: number) {
      nowMs += ms;
    },
    /** The service's clock alone. */
    setServiceClock(ms: number) {
      serviceAheadMs += ms;
    },
    writeKey: (key: string) => writeFileSync(keyFile, key),
    read,
    /** Every five seconds, like a viewer, or as often as is enough to be one. */
    async poll(ms: number, everyMs = 5000) {
      for (const endMs = nowMs + ms; nowMs < endMs; nowMs += everyMs) await read();
    },
    countOf: (operation: string) => service.requests().filter((request) => request.operation === operation).length,
    async close() {
      await client.close();
      if (running === undefined) await service.close(0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type LiveHarness = Awaited<ReturnType<typeof startLiveHarness>>;
