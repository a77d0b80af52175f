import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Layer } from '#lib/contract/operation.ts';
import type { WirePosition } from '#lib/contract/wire-position.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { FEED_KINDS } from '#service/receivers/feeds/feed-kinds.ts';
import { type FlownStations, startStations } from './ingest/flown-stations.ts';
import { AIRCRAFT, boxOf, DRONES, sentAs } from './ingest/flown-traffic.ts';

const MINUTES = Number(process.env.INGEST_MINUTES ?? 10);
const CLI = join(import.meta.dirname, '../service/cli.ts');
/** Until the feeds are connected and their clocks known. */
const WARM_UP_SECONDS = 10;
const LIVE_EVERY_MS = 100;
const LIVE_AIRCRAFT = 100;
/** Tracks whose second fits into one answer. */
const PAST_TRACKS = 750;
const GOAL = { lost: 0, repeated: 0, receipt_to_live_p99_ms: 2000, core_percent: 50 };

interface Running {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * The service over five stations that hear the same: what it loses and repeats, how late it is, and what it costs. Each
 * position says by itself which one it is (`flown-traffic.ts`).
 */
export async function ingest(): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-ingest-'));
  const withDrones = Object.hasOwn(FEED_KINDS, 'dragonsync+http');
  const stations = await startStations(withDrones);
  try {
    return await measure(folder, stations, withDrones);
  } finally {
    stations.close();
    await rm(folder, { recursive: true });
  }
}

async function measure(folder: string, stations: FlownStations, withDrones: boolean) {
  const service = await startOver(folder, stations);
  const { child } = service;
  try {
    const seconds = Math.round(MINUTES * 60);
    const startMs = Math.ceil(Date.now() / SECOND_MS) * SECOND_MS + SECOND_MS;
    const measuredMs = startMs + WARM_UP_SECONDS * SECOND_MS;
    const endMs = startMs + seconds * SECOND_MS;
    stations.start(startMs, seconds);
    const late = watchLive(service, stations, { startMs, fromMs: measuredMs, endMs });
    await until(measuredMs);
    const before = await used(child);
    const memory = await watchMemory(child, endMs);
    const after = await used(child);
    const latenciesMs = await late;
    await delay(5 * SECOND_MS);
    const aircraft = await compare(service, stations, { layer: 'adsb', tracks: AIRCRAFT, startMs, seconds });
    const drones = withDrones
      ? await compare(service, stations, { layer: 'rid', tracks: DRONES, startMs, seconds })
      : undefined;
    const percent = Math.round(((after.cpuMs - before.cpuMs) / (after.atMs - before.atMs)) * 1000) / 10;
    const lost = aircraft.lost + (drones?.lost ?? 0);
    const repeated = aircraft.repeated + (drones?.repeated ?? 0);
    return {
      what: `${AIRCRAFT} aircraft and ${withDrones ? DRONES : 0} drones at 1 Hz for ${MINUTES} minutes: aircraft from two lines of readsb and three polled tar1090, drones from three polled kits, clocks up to 3 s wrong; service in its own process with a data directory`,
      goal: GOAL,
      reached:
        withDrones &&
        lost + repeated === 0 &&
        latenciesMs.p99 <= GOAL.receipt_to_live_p99_ms &&
        percent <= GOAL.core_percent,
      reported: aircraft.reported + (drones?.reported ?? 0),
      lost,
      repeated,
      unexpected: aircraft.unexpected + (drones?.unexpected ?? 0),
      receipt_to_live_ms: latenciesMs,
      core_percent: percent,
      memory_mb: memory,
    };
  } finally {
    child.stdin?.end();
    await once(child, 'close');
  }
}

async function startOver(folder: string, { feeds }: FlownStations): Promise<Running> {
  const data = ['--data', join(folder, 'data')];
  const command = (...words: string[]) =>
    execFileSync(process.execPath, [CLI, ...words, ...data, '--json'], { encoding: 'utf8' });
  command('account', 'add', 'bench', '--allowance', '1000000,100000000');
  const scopes = 'adsb.live,rid.live,adsb.history,rid.history';
  command('grant', 'approve', '--account', 'bench', '--scopes', scopes, '--lookback', '1');
  const { api_key: apiKey } = JSON.parse(command('key', 'create', '--account', 'bench', '--name', 'bench'));
  const feedsFile = join(folder, 'feeds.json');
  await writeFile(feedsFile, JSON.stringify({ feeds }));
  return start([...data, '--feeds', feedsFile], apiKey);
}

async function start(options: readonly string[], apiKey: string): Promise<Running> {
  const words = ['serve', '--port', '0', '--exit-with-parent', ...options];
  const child = spawn(process.execPath, [CLI, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close').then(() => Promise.reject(new Error('the service ended')));
  const [line] = await Promise.race([once(createInterface(child.stdout!), 'line'), ended]);
  // It ends in the end.
  ended.catch(() => {});
  return { child, baseUrl: (JSON.parse(String(line)) as { base_url: string }).base_url, apiKey };
}

interface Watched {
  readonly startMs: number;
  readonly fromMs: number;
  readonly endMs: number;
}

/** How long it takes from the moment when a station reports a position until an answer has it, for all in a box. */
async function watchLive(service: Running, stations: FlownStations, { startMs, fromMs, endMs }: Watched) {
  const bbox = boxOf(false, 0, LIVE_AIRCRAFT, 10 + (endMs - startMs) / SECOND_MS);
  const latest = new Map<number, number>();
  const latenciesMs: number[] = [];
  for (let nextMs = startMs; nextMs < endMs; nextMs += LIVE_EVERY_MS) {
    await until(nextMs);
    const { data } = await ask(service, `live/adsb?bbox=${formatBbox(bbox)}&limit=1000`);
    const seenMs = Date.now();
    for (const { longitude, latitude } of data) {
      const { index, second } = sentAs(false, { lon: longitude, lat: latitude });
      if (!(second > (latest.get(index) ?? -1))) continue;
      latest.set(index, second);
      const reportedMs = stations.reportedMs({ index, isDrone: false }, second);
      if (reportedMs >= fromMs) latenciesMs.push(seenMs - reportedMs);
    }
  }
  latenciesMs.sort((a, b) => a - b);
  const at = (part: number) => latenciesMs[Math.ceil(part * latenciesMs.length) - 1] ?? Number.NaN;
  return { median: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1), positions: latenciesMs.length };
}

/** Memory of the process at the end of each tenth, in MB. */
async function watchMemory(child: ChildProcess, endMs: number): Promise<number[]> {
  const stepMs = (endMs - Date.now()) / 10;
  const memory: number[] = [];
  for (let left = 9; left >= 0; left -= 1) {
    await until(endMs - left * stepMs);
    memory.push((await used(child)).memoryMb);
  }
  return memory;
}

/** What the process has used: processor time and memory, as Linux counts them. */
async function used({ pid }: ChildProcess) {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  // After the name, which may contain anything: fields 14 and 15, in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const memoryKb = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
  return {
    atMs: Date.now(),
    cpuMs: (Number(fields[11]) + Number(fields[12])) * 10,
    memoryMb: Math.round(memoryKb / 1024),
  };
}

function until(ms: number): Promise<void> {
  return delay(Math.max(0, ms - Date.now()));
}

interface Sent {
  readonly layer: Layer;
  readonly tracks: number;
  readonly startMs: number;
  readonly seconds: number;
}

/** Asks for all of the past and counts which of the positions that were reported after the warm-up are not there, or twice. */
async function compare(service: Running, stations: FlownStations, { layer, tracks, startMs, seconds }: Sent) {
  const counts = new Uint8Array(tracks * seconds);
  let unexpected = 0;
  const read = async (bbox: Bbox, startMs: number, endMs: number): Promise<void> => {
    const window = `start=${formatInstant(upstreamInstant(startMs))}&end=${formatInstant(upstreamInstant(endMs))}`;
    const { data, truncated } = await ask(service, `history/${layer}?bbox=${formatBbox(bbox)}&limit=1000&${window}`);
    if (truncated) {
      const middleMs = Math.floor((startMs + endMs) / 2);
      await read(bbox, startMs, middleMs);
      await read(bbox, middleMs, endMs);
      return;
    }
    for (const { longitude, latitude } of data) {
      const sent = sentAs(layer === 'rid', { lon: longitude, lat: latitude });
      const place = sent.index * seconds + sent.second;
      if (place >= 0 && sent.second < seconds) counts[place]! += 1;
      else unexpected += 1;
    }
  };
  for (let second = -3; second < seconds + 3; second += 1) {
    for (let first = 0; first < tracks; first += PAST_TRACKS) {
      const bbox = boxOf(layer === 'rid', first, Math.min(tracks, first + PAST_TRACKS), seconds);
      await read(bbox, startMs + second * SECOND_MS, startMs + (second + 1) * SECOND_MS);
    }
  }
  let [reported, lost, repeated] = [0, 0, 0];
  for (const [place, count] of counts.entries()) {
    const [index, second] = [Math.floor(place / seconds), place % seconds];
    if (second < WARM_UP_SECONDS) continue;
    const isReported = stations.reportedMs({ index, isDrone: layer === 'rid' }, second) > 0;
    if (isReported) reported += 1;
    if (isReported && count === 0) lost += 1;
    if (count > 1) repeated += count - 1;
  }
  return { reported, lost, repeated, unexpected };
}

const agent = new Agent({ keepAlive: true });

function ask({ baseUrl, apiKey }: Running, target: string): Promise<{ data: WirePosition[]; truncated: boolean }> {
  return new Promise((resolve, reject) => {
    get(`${baseUrl}/${target}`, { agent, headers: { authorization: `Bearer ${apiKey}` } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if (response.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`${response.statusCode}: ${text}`));
      });
    }).once('error', reject);
  });
}
