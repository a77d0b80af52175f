import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EndLine } from '#lib/api/history-line.ts';
import type { HistoryQuery } from '#lib/api/query.ts';
import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { HistoryReader } from '#lib/server/history/history-reader.ts';
import { historyRecordsOf } from '#lib/server/history/history-stream.ts';
import { LoadQueues } from '#lib/server/history/load-queues.ts';
import { PartCache } from '#lib/server/history/parts/part-cache.ts';
import { addMs, epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { ALL_SCOPES } from '#service/accounts/account.ts';
import { issueKey } from '#service/accounts/issue-key.ts';
import type { AccountWithKeys } from '#service/accounts/memory-access.ts';
import { storeAccounts } from '#service/conformance/stored-accounts.ts';
import { EmbeddedPast } from '#service/past/files/embedded-past.ts';
import { asStored } from '#service/past/stored-observation.ts';
import { makeTestSurroundings } from '#service/receivers/feeds/test-surroundings.fixture.ts';
import type { Fix, TrackKey } from '#service/receivers/fix.ts';
import { makeReceivedSource } from '#service/receivers/received-source.ts';
import type { Observation } from '#service/sources/observation.ts';
import { type LiveHarness, startLiveHarness } from '#testing/live-harness.ts';
import { EachSecond } from './past-traffic.ts';

/** Of the world; about thirty aircraft and some drones are in the region. */
const WORLD_TRACKS = { aircraft: 700, drones: 200 };
const REGION: Bbox = { west: 7.5, south: 46.5, east: 9.5, north: 48 };
/** One that is loaded as it is: loads grow a view to a grid. */
const VIEW: Bbox = { west: 8, south: 46.75, east: 9, north: 47.75 };
const BEGIN = upstreamInstant(Date.UTC(2026, 10, 18, 12));
const DAYS_BEFORE = 3;
/** Of the first of them; then there is silence until the day that is watched. */
const HEARD_ALONE_MS = 6 * HOUR_MS;
/** What is replayed: three days before the end of the day. */
const HOUR: Window = { start: addMs(BEGIN, 2 * HOUR_MS), end: addMs(BEGIN, 3 * HOUR_MS) };
const POLL_EVERY_MS = 5 * SECOND_MS;
const ALLOWANCE = { perMinute: 600, perDay: 200_000 };
/** The same after a restart. */
const REFERENCE_SECRET = randomBytes(32);
const STATION = { id: 'roof', aggregates: false, simulated: false };

/**
 * The app over the durable service for a day of simulated time, after three days in which the service listened alone: then an hour of the first day is
 * replayed twice, and again after the service was started anew.
 */
export async function simulatedDay(): Promise<object> {
  const { readings, ...figures } = await watchedDay();
  const { lost, repeated, failed_reads, refused_requests } = figures;
  const isSame = new Set(readings).size === 1;
  return {
    what: `six hours three days before, and then a day that is watched every 5 s, over HTTP and in simulated time; a station hears each track once a second; at the end an hour from three days ago, all positions as the API sends them, twice and after a restart`,
    goal: { lost: 0, repeated: 0, failed_reads: 0, refused_requests: 0, different_readings: 0 },
    reached: isSame && lost + repeated + failed_reads + refused_requests === 0,
    is_same: isSame,
    ...figures,
  };
}

async function watchedDay() {
  const time = makeTestSurroundings(BEGIN);
  const { now } = time.surroundings;
  const folder = mkdtempSync(join(tmpdir(), 'lookout-day-'));
  const secret = randomBytes(32).toString('base64url');
  const accounts = await storeAccounts([accountOf(secret)], now);
  const run = async () => {
    const past = await EmbeddedPast.open({ folder, now, log: complain });
    const source = makeReceivedSource({ past, surroundings: time.surroundings });
    return {
      past,
      source,
      async startApp() {
        const app = await startLiveHarness({
          source,
          access: accounts.access,
          now,
          startMs: epochMs(now()),
          referenceSecret: REFERENCE_SECRET,
        });
        app.writeKey(secret);
        return app;
      },
      async stop() {
        source.stop();
        await past.close();
      },
    };
  };
  try {
    const heard = new Heard();
    let service = await run();
    /** What the past takes must be written within seconds, of simulated time too. */
    const pass = async () => {
      for (const { at, fixes } of heard.seconds(now(), addMs(now(), POLL_EVERY_MS))) {
        time.move(msBetween(now(), at));
        service.source.deliver(STATION, { fixes, feedClockMs: epochMs(at) }, at);
      }
      await service.past.flush();
      if (epochMs(now()) % MINUTE_MS === 0) await service.past.maintain();
    };
    for (const end = addMs(BEGIN, HEARD_ALONE_MS); now() < end; ) await pass();
    for (const end = addMs(BEGIN, DAYS_BEFORE * DAY_MS); now() < end; ) {
      time.move(POLL_EVERY_MS);
      await service.past.flush();
      if (epochMs(now()) % MINUTE_MS === 0) await service.past.maintain();
    }
    let app = await service.startApp();
    const day = await watch(app, DAY_MS, pass);
    const readings = [await replay(app), await replay(app)];
    await app.close();
    const { bytes, segments, dropped, damagedSegments } = service.past.state();
    await service.stop();

    service = await run();
    app = await service.startApp();
    readings.push(await replay(app));
    await app.close();
    await service.stop();
    return {
      ...day,
      heard: heard.count,
      dropped,
      damaged_segments: damagedSegments,
      segments,
      mb: Math.round(bytes / 1e5) / 10,
      hour: readings[0]!.records.length,
      ...heard.comparedWith(readings[0]!),
      readings: readings.map(({ digest }) => digest),
    };
  } finally {
    accounts.close();
    rmSync(folder, { recursive: true });
  }
}

/** One who watches all day. */
async function watch(app: LiveHarness, ms: number, pass: () => Promise<void>) {
  let [failed, empty, marks] = [0, 0, 0];
  const reads = ms / POLL_EVERY_MS;
  for (let read = 0; read < reads; read += 1) {
    const { layers } = await app.read(VIEW);
    const records = LAYERS.reduce((sum, layer) => sum + (layers[layer]?.records.length ?? 0), 0);
    marks += records;
    if (records === 0) empty += 1;
    if (LAYERS.some((layer) => layers[layer]?.failing_since !== null)) failed += 1;
    await pass();
    app.moveClock(POLL_EVERY_MS);
  }
  const answered = app.logged.map((line) => JSON.parse(line) as { readonly msg: string });
  return {
    reads,
    failed_reads: failed,
    empty_reads: empty,
    marks_of_a_read: Math.round((marks / reads) * 10) / 10,
    requests: answered.filter(({ msg }) => msg === 'upstream answered').length,
    refused_requests: answered.filter(({ msg }) => msg === 'upstream refused').length,
  };
}

interface Reading {
  /** SHA-256 of the positions by time and track, as the API sends them, and of what is said of them at the end. */
  readonly digest: string;
  readonly records: readonly string[];
}

/** The hour, loaded by somebody for whom nothing is cached. */
async function replay({ client, ledger, scheduler, now, moveClock }: LiveHarness): Promise<Reading> {
  const reader = new HistoryReader({
    client,
    ledger,
    cache: new PartCache(),
    queues: new LoadQueues(),
    expectedPerSecond: () => undefined,
    livePerS: () => scheduler.refreshesPerS,
    hasSignIn: false,
    now,
    sleep: async (ms) => moveClock(ms),
  });
  const query: HistoryQuery = { bbox: VIEW, layers: [...LAYERS], window: HOUR, maxRequests: undefined };
  const positions: { readonly key: string; readonly text: string }[] = [];
  let end: EndLine | undefined;
  for await (const event of reader.load(query, 'alice', new AbortController().signal)) {
    if (event.kind === 'line') {
      if (event.line.type === 'end') end = event.line;
      continue;
    }
    const { layer } = event.part;
    for (const record of await historyRecordsOf(event.part)) {
      const { observed_at: at, longitude, latitude } = record;
      positions.push({
        key: positionKey(layer, Date.parse(at), longitude, latitude),
        text: JSON.stringify([layer, record]),
      });
    }
  }
  const texts = positions.map(({ text }) => text).sort((a, b) => (a < b ? -1 : Number(a > b)));
  // How many requests it took depends on what a reader has learnt of the place.
  const said = Object.entries(end?.layers ?? {}).map(([layer, { requests: _, ...rest }]) => [layer, rest]);
  const digest = createHash('sha256').update(JSON.stringify(said)).update(texts.join('\n'));
  const records = positions.map(({ key }) => key);
  return { digest: digest.digest('hex'), records };
}

/** Coarser than any rounding on the way. */
function positionKey(layer: Layer, atMs: number, lon: number, lat: number): string {
  return `${layer} ${atMs} ${lon.toFixed(5)} ${lat.toFixed(5)}`;
}

/** What the station heard. */
class Heard {
  count = 0;
  readonly #traffic = new EachSecond(WORLD_TRACKS.aircraft, WORLD_TRACKS.drones);
  readonly #ofHour = new Map<string, number>();
  #minute: { readonly startMs: number; readonly observations: readonly Observation[] } | undefined;

  /** What is heard in each second between two times of one minute, and when the second is over. */
  *seconds(from: UpstreamInstant, to: UpstreamInstant) {
    const minute = this.#minuteOf(from);
    for (let start = from; start < to; start = addMs(start, SECOND_MS)) {
      const at = addMs(start, SECOND_MS);
      const fixes = minute.filter(({ observedAt }) => observedAt >= start && observedAt < at).map(fixOf);
      this.count += fixes.length;
      yield { at, fixes };
    }
  }

  /** How many positions of the hour in the view are missing in it, and how many it has twice. */
  comparedWith({ records }: Reading) {
    const left = new Map(this.#ofHour);
    let repeated = 0;
    for (const record of records) {
      const count = left.get(record) ?? 0;
      if (count === 0) repeated += 1;
      else left.set(record, count - 1);
    }
    return { lost: [...left.values()].reduce((sum, count) => sum + count, 0), repeated };
  }

  #minuteOf(at: UpstreamInstant): readonly Observation[] {
    const startMs = Math.floor(epochMs(at) / MINUTE_MS) * MINUTE_MS;
    if (this.#minute?.startMs !== startMs) {
      const start = upstreamInstant(startMs);
      const window = { start, end: addMs(start, MINUTE_MS) };
      const observations = LAYERS.flatMap((layer) => this.#traffic.received(layer, REGION, window));
      this.#minute = { startMs, observations };
      if (start >= HOUR.start && start < HOUR.end) this.#keepOfHour(observations);
    }
    return this.#minute.observations;
  }

  #keepOfHour(observations: readonly Observation[]): void {
    for (const { layer, observedAt, lon, lat } of observations.map(asStored)) {
      if (!bboxContains(VIEW, lon, lat)) continue;
      const key = positionKey(layer, epochMs(observedAt), lon, lat);
      this.#ofHour.set(key, (this.#ofHour.get(key) ?? 0) + 1);
    }
  }
}

function fixOf({
  layer,
  sourceId,
  observedAt,
  lon,
  lat,
  altitudeM,
  heightAglM,
  speedMps,
  headingDeg,
}: Observation): Fix {
  return {
    layer,
    trackKey: sourceId as TrackKey,
    feedTimeMs: epochMs(observedAt),
    // Remote ID sends the time of a position, by which one of a drone that hovers is told from a repetition.
    trackTimeMs: layer === 'rid' ? epochMs(observedAt) : undefined,
    lon,
    lat,
    altitudeM,
    heightAglM,
    speedMps,
    headingDeg,
    onGround: false,
    origin: 'broadcast',
    accuracyM: null,
    emergencyState: null,
    testBroadcast: false,
  };
}

function accountOf(secret: string): AccountWithKeys {
  const grant = { active: true, expiresAt: null };
  const key = issueKey({ name: 'lookout', secret, createdAt: BEGIN }, grant);
  return { id: 'lookout', grant, scopes: new Set(ALL_SCOPES), lookbackDays: 30, allowance: ALLOWANCE, keys: [key] };
}

function complain(entry: string): void {
  process.stderr.write(`${entry}\n`);
}
