import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Layer } from '#lib/contract/operation.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { addMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { listedSource, observation } from '#service/conformance/listed-source.ts';
import { startService } from '#service/server/start-service.ts';
import { serviceNow } from '#service/service-now.ts';
import type { Source } from '#service/sources/observation.ts';
import { type Spread, spread } from './spread.ts';

const RECORDING = join(import.meta.dirname, '../../shared/recordings/adsb-traffic_switzerland_20180801.jsonl.gz');
const CLI = join(import.meta.dirname, '../service/cli.ts');
const LIMIT = 1000;
const GOAL_PAGE_MS = 50;
const WARM_PAGES = 5;

const UNLIMITED = { perMinute: 1_000_000, perDay: 1_000_000 };
const WINDOWS_MS = {
  '1 s': SECOND_MS,
  '10 s': 10 * SECOND_MS,
  '1 min': 60 * SECOND_MS,
  '5 min': 300 * SECOND_MS,
  '1 h': HOUR_MS,
};
/** Around Frankfurt, the busiest part of the simulated world; the smallest box contains only the airport. */
const SIMULATED_BOXES = {
  '5°': { west: 6, south: 47.5, east: 11, north: 52.5 },
  '1°': { west: 8, south: 49.5, east: 9, north: 50.5 },
  '0.1°': { west: 8.5, south: 50, east: 8.6, north: 50.1 },
};
const SWISS_BOXES = {
  '5°': { west: 6, south: 44.5, east: 11, north: 49.5 },
  '1°': { west: 8, south: 47, east: 9, north: 48 },
  '0.1°': { west: 8.5, south: 47.4, east: 8.6, north: 47.5 },
};

/** Observations of one second within a few hundred metres. */
const DENSE = 5000;
const DENSE_BOXES = {
  '1°': { west: 8, south: 47, east: 9, north: 48 },
  '0.01°': { west: 8.5, south: 47.4, east: 8.51, north: 47.41 },
  '0.001°': { west: 8.5, south: 47.4, east: 8.501, north: 47.401 },
};

interface HistoryRequest {
  readonly layer: Layer;
  readonly bbox: Bbox;
  readonly start: UpstreamInstant;
  readonly lengthMs: number;
}

interface Answer {
  readonly records: number;
  readonly truncated: boolean;
  readonly ms: number;
}

interface Page {
  readonly layer: Layer;
  readonly box: string;
  readonly window: string;
  readonly records: number;
  readonly truncated: boolean;
  /** Time of the first request of its kind, which may have to make references. */
  readonly first_ms: number;
  readonly warm_ms: Spread;
}

interface ServiceAddress {
  readonly baseUrl: string;
  readonly apiKey: string;
}

interface Measured {
  readonly pages: readonly Page[];
  /** The times of all full pages. */
  readonly fullPagesMs: readonly number[];
}

/**
 * The time for one page of history from a service in its own process, over HTTP on loopback, from request to end of
 * body.
 */
export async function serviceHistory(): Promise<object> {
  const measureIn = (boxes: Readonly<Record<string, Bbox>>) => (service: ServiceAddress) =>
    measure(service, boxes, addMs(serviceNow(), -HOUR_MS));
  const options = ['--source', 'simulator', '--tracks', '20000,2000'];
  const simulator = await inOwnProcess(options, measureIn(SIMULATED_BOXES));
  const recording = existsSync(RECORDING)
    ? await inOwnProcess(['--source', `recording:${RECORDING}`], measureIn(SWISS_BOXES))
    : undefined;
  const dense = await measureDense();
  const pages = [...simulator.pages, ...(recording?.pages ?? []), ...dense.pages];
  const slowest = Math.max(...pages.map(({ warm_ms }) => warm_ms.median));
  const fullPages = spread(simulator.fullPagesMs);
  return {
    what: `a page of ${LIMIT} of the past hour: 20,000 simulated aircraft, the Swiss recording (service in its own process), ${DENSE} observations in a second; request start to body read, loopback`,
    goal: { page_ms: GOAL_PAGE_MS },
    reached: slowest <= GOAL_PAGE_MS && fullPages.p95 <= GOAL_PAGE_MS,
    slowest_median_ms: slowest,
    simulator_full_pages_ms: fullPages,
    simulator: simulator.pages,
    recording: recording?.pages ?? 'missing',
    dense: dense.pages,
  };
}

/** This source can't be selected on a command line, so the service runs in the process of its client. */
async function measureDense(): Promise<Measured> {
  const now = serviceNow();
  const start = addMs(now, -HOUR_MS);
  const service = await startService({ source: denseSecond(start), now: () => now, allowance: UNLIMITED });
  try {
    return await measure(service, DENSE_BOXES, start);
  } finally {
    await service.close();
  }
}

async function inOwnProcess<Result>(
  options: readonly string[],
  use: (service: ServiceAddress) => Promise<Result>,
): Promise<Result> {
  const allowance = `${UNLIMITED.perMinute},${UNLIMITED.perDay}`;
  const child = spawn(
    process.execPath,
    [CLI, 'serve', '--port', '0', '--exit-with-parent', '--allowance', allowance, ...options],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'close');
  try {
    const ready = once(createInterface(child.stdout), 'line');
    const [line] = await Promise.race([ready, ended.then(() => Promise.reject(new Error('the service ended')))]);
    const { base_url, api_key } = JSON.parse(String(line)) as { base_url: string; api_key: string };
    return await use({ baseUrl: base_url, apiKey: api_key });
  } finally {
    child.stdin.end();
    await ended;
  }
}

/** A source whose observations all lie in the first second from `start`. */
function denseSecond(start: UpstreamInstant): Source {
  const observations = Array.from({ length: DENSE }, (_, index) =>
    observation({
      sourceId: `dense-${index}`,
      observedAt: addMs(start, (index * 7) % SECOND_MS),
      lon: 8.5 + (index % 100) / 1e5,
      lat: 47.4 + Math.floor(index / 100) / 1e5,
    }),
  );
  return listedSource(observations);
}

async function measure(
  service: ServiceAddress,
  boxes: Readonly<Record<string, Bbox>>,
  hourStart: UpstreamInstant,
): Promise<Measured> {
  const pages: Page[] = [];
  const fullPagesMs: number[] = [];
  for (const layer of ['adsb', 'rid'] as const) {
    for (const [box, bbox] of Object.entries(boxes)) {
      for (const [window, lengthMs] of Object.entries(WINDOWS_MS)) {
        const answers = await requestThroughTheHour(service, { layer, bbox, start: hourStart, lengthMs });
        pages.push({ layer, box, window, ...summary(answers) });
        fullPagesMs.push(...answers.filter(({ records }) => records === LIMIT).map(({ ms }) => ms));
      }
    }
  }
  return { pages, fullPagesMs };
}

async function fetchPage(service: ServiceAddress, request: HistoryRequest): Promise<Answer> {
  const begin = performance.now();
  const text = await textOf(`${service.baseUrl}/${targetOf(request)}`, service.apiKey);
  const ms = performance.now() - begin;
  const { data, truncated } = JSON.parse(text) as { data: unknown[]; truncated: boolean };
  return { records: data.length, truncated, ms };
}

/** Every request is for a different part of the hour, so that no page benefits from the one before. */
async function requestThroughTheHour(service: ServiceAddress, first: HistoryRequest): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let page = 0; page <= WARM_PAGES; page += 1) {
    const start = addMs(first.start, Math.floor((page * (HOUR_MS - first.lengthMs)) / WARM_PAGES));
    answers.push(await fetchPage(service, { ...first, start }));
  }
  return answers;
}

function summary(answers: readonly Answer[]) {
  const [first, ...warm] = answers.map(({ ms }) => ms);
  return {
    records: Math.max(...answers.map(({ records }) => records)),
    truncated: answers.some(({ truncated }) => truncated),
    first_ms: Math.round(first! * 100) / 100,
    warm_ms: spread(warm),
  };
}

function targetOf({ layer, bbox, start, lengthMs }: HistoryRequest): string {
  const end = addMs(start, lengthMs);
  return `history/${layer}?bbox=${formatBbox(bbox)}&start=${formatInstant(start)}&end=${formatInstant(end)}&limit=${LIMIT}`;
}

function textOf(url: string, apiKey: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { authorization: `Bearer ${apiKey}` } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`${response.statusCode}: ${text}`));
      });
    }).once('error', reject);
  });
}
