import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { addMs, epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { writeChunk } from '#service/past/columns/chunk.ts';
import { TrackOrder } from '#service/past/columns/track-order.ts';
import { EmbeddedPast } from '#service/past/files/embedded-past.ts';
import { segmentFile } from '#service/past/files/segment-files.ts';
import { type LayerPeriod, PERIOD_MS, periodStart } from '#service/past/period.ts';
import { Rows } from '#service/past/rows.ts';
import { footerLength, readFooter, TRAILER_BYTES, writeFooter } from '#service/past/segment/footer.ts';
import { CHUNK_ROWS, segmentBytes } from '#service/past/segment/write-segment.ts';
import { STEPS_PER_DEG, storeObservation } from '#service/past/stored-observation.ts';
import { REFERENCE_PERIOD_MS } from '#service/references/public-reference.ts';
import { cacheReferences } from '#service/references/reference-cache.ts';
import type { Observation } from '#service/sources/observation.ts';
import { readHistoryWindow } from '#service/store/history-window.ts';
import { cpuMs } from '#testing/cpu-ms.ts';
import { EachSecond, swissRecording } from './past-traffic.ts';
import { spread } from './spread.ts';

const GOALS = {
  swiss_bytes: 8.5,
  each_second_bytes: 5,
  encoded_per_second: 1_000_000,
  page_cold_ms: 50,
  page_warm_ms: 10,
  start_ms: 3000,
};

/** Traffic of all the world, of which about 300 aircraft and 70 drones are in the region. */
const WORLD_TRACKS = { aircraft: 2500, drones: 400 };
const REGION: Bbox = { west: 4, south: 46, east: 12, north: 54 };
const SPANS_DEG = [0.5, 1, 2.5, 5];
const FIRST_HOUR = upstreamInstant(Date.UTC(2026, 9, 1, 12));
const DAYS = Number(process.env.SEGMENTS_DAYS ?? 30);
/** Left free on the disk. */
const SPARE_BYTES = 30e9;
const LIMIT = 1000;
const QUESTIONS = 160;
const ENCODINGS = 3;
/** As many as the largest installation of the research, in one period. */
const MANY_TRACKS = 10;

/** Thirty days on disk: how many bytes they take, how fast they are written, and how fast they answer. */
export async function segments(): Promise<object> {
  const swiss = await swissRecording();
  const swissBytes = swiss && (await bytesAnObservation(byPeriod(swiss)));
  const hour = byPeriod(simulatedHour());
  const encoding = await encode(hour.filter(([{ layer }]) => layer === 'adsb'));
  const steps = longestSteps(hour);
  const folder = mkdtempSync(join(tmpdir(), 'lookout-segments-'));
  try {
    const days = await fill(folder, hour);
    const rebuilt = await timed(() => openPast(folder));
    await rebuilt.result.close();
    const start = await timed(() => openPast(folder));
    const pages = await askPages(start.result, folder, days.days);
    await start.result.close();
    const reached =
      (swissBytes ?? 0) <= GOALS.swiss_bytes &&
      encoding.bytes_an_observation <= GOALS.each_second_bytes &&
      encoding.encoded_per_second >= GOALS.encoded_per_second &&
      pages.cold_ms.p95 <= GOALS.page_cold_ms &&
      pages.warm_ms.p95 <= GOALS.page_warm_ms &&
      start.ms <= GOALS.start_ms;
    return {
      what: `segments of five minutes; 1 Hz is the simulator's traffic over ${describe(REGION)}, each track received about once a second; one hour is simulated and repeated; encoding is processor time of all threads; a cold page is read from the disk, not from the system's cache or ours`,
      goal: GOALS,
      reached,
      swiss_bytes_an_observation: swissBytes ?? 'missing',
      each_second: encoding,
      sealing_steps_cpu_ms: steps,
      past: days,
      start_ms: start.ms,
      start_without_catalogue_ms: rebuilt.ms,
      ...pages,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type PeriodRows = readonly [LayerPeriod, Rows];

function simulatedHour(): Observation[] {
  const traffic = new EachSecond(WORLD_TRACKS.aircraft, WORLD_TRACKS.drones);
  const window = { start: FIRST_HOUR, end: addMs(FIRST_HOUR, HOUR_MS) };
  return LAYERS.flatMap((layer) => traffic.received(layer, REGION, window));
}

function byPeriod(observations: readonly Observation[]): PeriodRows[] {
  const periods = new Map<string, PeriodRows>();
  for (const observation of observations) {
    const period = { layer: observation.layer, start: periodStart(observation.observedAt) };
    const key = `${period.layer} ${epochMs(period.start)}`;
    const rows = periods.get(key)?.[1] ?? new Rows();
    periods.set(key, [period, rows]);
    if (!storeObservation(rows, observation)) throw new Error('an observation that cannot be stored');
  }
  return [...periods.values()];
}

async function bytesAnObservation(periods: readonly PeriodRows[]): Promise<number> {
  let [bytes, count] = [0, 0];
  for (const [period, rows] of periods) {
    bytes += lengthOf(await segmentBytes(period, rows, true));
    count += rows.length;
  }
  return Math.round((bytes / count) * 100) / 100;
}

async function encode(periods: readonly PeriodRows[]) {
  const count = periods.reduce((sum, [, rows]) => sum + rows.length, 0);
  const speeds: number[] = [];
  for (let repeat = 0; repeat < ENCODINGS; repeat += 1) {
    const before = process.cpuUsage();
    await bytesAnObservation(periods);
    const { user, system } = process.cpuUsage(before);
    speeds.push(Math.round((count / (user + system)) * 1e6));
  }
  return {
    observations: count,
    tracks: new Set(periods.flatMap(([, rows]) => rows.trackKeys)).size,
    bytes_an_observation: await bytesAnObservation(periods),
    // The first time compiles.
    encoded_per_second: Math.max(...speeds),
  };
}

/**
 * Processor time of the longest steps of sealing, in which nothing else has a turn: for a period as simulated, and for one of
 * ten times as many tracks.
 */
function longestSteps(hour: readonly PeriodRows[]) {
  const [{ layer }, rows] = hour.find(([{ layer }]) => layer === 'adsb')!;
  const many = new Rows();
  for (let copy = 0; copy < MANY_TRACKS; copy += 1) {
    const other = new Rows();
    other.addAll(rows);
    for (const [index, key] of other.trackKeys.entries()) other.trackKeys[index] = copy.toString(16) + key.slice(1);
    many.addAll(other);
  }
  return [rows, many].map((sealed) => {
    let order = new TrackOrder(sealed, STEPS_PER_DEG[layer]);
    const ordering = cpuMs(() => {
      order = new TrackOrder(sealed, STEPS_PER_DEG[layer]);
    });
    const chunks = Math.floor(sealed.length / CHUNK_ROWS);
    const encoding = cpuMs(() => {
      for (let chunk = 0; chunk < chunks; chunk += 1) {
        writeChunk(sealed, order, chunk * CHUNK_ROWS, (chunk + 1) * CHUNK_ROWS);
      }
    });
    return { observations: sealed.length, ordering, a_chunk: Math.round((encoding / chunks) * 100) / 100 };
  });
}

/** Writes the hour again and again, as segments of later hours. */
async function fill(folder: string, hour: readonly PeriodRows[]) {
  const segments = await Promise.all(
    hour.map(async ([period, rows]) => ({
      period,
      rows,
      bytes: Buffer.concat(await segmentBytes(period, rows, true)),
    })),
  );
  const hourBytes = segments.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const { bavail, bsize } = await statfs(folder);
  const days = Math.min(DAYS, Math.floor((bavail * bsize - SPARE_BYTES) / (24 * hourBytes)));
  for (let passed = 0; passed < days * 24; passed += 1) {
    for (const { period, bytes } of segments) {
      const later = { ...period, start: addMs(period.start, passed * HOUR_MS) };
      const file = segmentFile(join(folder, 'segments'), later);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, startingAt(bytes, later.start));
    }
  }
  // Only what is on the disk can be dropped from the system's cache.
  execFileSync('sync', ['-f', folder]);
  const count = segments.reduce((sum, { rows }) => sum + rows.length, 0);
  return {
    days,
    observations: count * 24 * days,
    gigabytes: Math.round((hourBytes * 24 * days) / 1e7) / 100,
    files: segments.length * 24 * days,
  };
}

/** The segment as that of another period: only its footer says which it is. */
function startingAt(bytes: Buffer, start: UpstreamInstant): Buffer {
  const length = footerLength(bytes.subarray(-TRAILER_BYTES)) + TRAILER_BYTES;
  const footer = readFooter(bytes.subarray(-length), bytes.length);
  return Buffer.concat([bytes.subarray(0, -length), writeFooter({ ...footer, start })]);
}

function openPast(folder: string): Promise<EmbeddedPast> {
  const now = addMs(FIRST_HOUR, DAYS * DAY_MS);
  return EmbeddedPast.open({ folder, now: () => now, log: () => {} });
}

/** Full pages of hours all over the past, as the operations read them. */
async function askPages(past: EmbeddedPast, folder: string, days: number) {
  const referenceOf = cacheReferences({ secret: new Uint8Array(32), prefix: 'LKT', periodMs: REFERENCE_PERIOD_MS });
  const source = {
    live: () => [],
    history: past.history.bind(past),
    historyTimes: past.historyTimes.bind(past),
  };
  const [cold, warm, coldCpu, warmCpu]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (let question = 0; question < QUESTIONS; question += 1) {
    const layer: Layer = question % 4 === 3 ? 'rid' : 'adsb';
    const bbox = randomBox(layer === 'rid' ? 5 : SPANS_DEG[question % 4]!);
    const start = addMs(FIRST_HOUR, Math.floor(Math.random() * (days * 24 - 1) * 12) * PERIOD_MS + 2 * MINUTE_MS);
    const request = { layer, bbox, window: { start, end: addMs(start, HOUR_MS) }, limit: LIMIT };
    const ask = () => timed(() => readHistoryWindow(source, referenceOf, request));
    dropFromSystemCache(join(folder, 'segments'), request.window.start);
    const first = await ask();
    if (first.result.entries.length < LIMIT) continue;
    cold.push(first.ms);
    coldCpu.push(first.cpuMs);
    for (let repeat = 0; repeat < 3; repeat += 1) {
      const again = await ask();
      warm.push(again.ms);
      warmCpu.push(again.cpuMs);
    }
  }
  return {
    full_pages: cold.length,
    cold_ms: spread(cold),
    warm_ms: spread(warm),
    // Without waiting for the disk, and on a machine that others share for a processor.
    cold_cpu_ms: spread(coldCpu),
    warm_cpu_ms: spread(warmCpu),
  };
}

function randomBox(spanDeg: number): Bbox {
  const west = REGION.west + Math.random() * (REGION.east - REGION.west - spanDeg);
  const south = REGION.south + Math.random() * (REGION.north - REGION.south - spanDeg);
  return { west, south, east: west + spanDeg, north: south + spanDeg };
}

/** The segments of the hour are read from the disk next time. */
function dropFromSystemCache(segments: string, from: UpstreamInstant): void {
  const files: string[] = [];
  for (let start = periodStart(from); start < addMs(from, HOUR_MS); start = addMs(start, PERIOD_MS)) {
    for (const layer of LAYERS) files.push(segmentFile(segments, { layer, start }));
  }
  const drop = 'for file; do dd if="$file" iflag=nocache count=0 status=none; done';
  execFileSync('sh', ['-c', drop, 'sh', ...files]);
}

async function timed<Result>(work: () => Promise<Result>) {
  const [begin, before] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: Math.round((performance.now() - begin) * 100) / 100, cpuMs: (user + system) / 1000, result };
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

function describe({ west, south, east, north }: Bbox): string {
  return `${west}–${east}° E, ${south}–${north}° N`;
}
