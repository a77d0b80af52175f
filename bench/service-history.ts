import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import type { Layer } from '#lib/contract/operation.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { addMs, formatInstant, type Instant, instantFromMs } from '#lib/time/instant.ts';
import { listedSource, observation } from '#service/conformance/listed-source.ts';
import { startService } from '#service/server/start-service.ts';
import type { Source } from '#service/sources/observation.ts';
import { openSource } from '#service/sources/open-source.ts';
import { makeSimulator } from '#service/sources/simulator/simulator.ts';
import { type Spread, spread } from './spread.ts';

const RECORDING = join(import.meta.dirname, '../../shared/recordings/adsb-traffic_switzerland_20180801.jsonl.gz');
const NOW = instantFromMs(Date.UTC(2026, 10, 21, 12, 0, 10));
const LIMIT = 1000;
const GOAL_PAGE_MS = 50;
const WARM_PAGES = 5;

const UNLIMITED = { perMinute: 1_000_000, perDay: 1_000_000 };
const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const HOUR_START = addMs(NOW, -HOUR_MS);
const EUROPE = { west: -10, south: 35, east: 20, north: 60 };
const WINDOWS_MS = {
  '1 s': SECOND_MS,
  '10 s': 10 * SECOND_MS,
  '5 min': 300 * SECOND_MS,
  '1 h': HOUR_MS,
};
/** Around Frankfurt: the busiest part of the simulated world; the smallest holds the airport alone. */
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

/** Observations of one second within some hundred metres. */
const DENSE = 5000;
const DENSE_BOXES = {
  '1°': { west: 8, south: 47, east: 9, north: 48 },
  '0.01°': { west: 8.5, south: 47.4, east: 8.51, north: 47.41 },
  '0.001°': { west: 8.5, south: 47.4, east: 8.501, north: 47.401 },
};

interface Question {
  readonly layer: Layer;
  readonly bbox: Bbox;
  readonly start: Instant;
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
  /** Of the first question of its kind, whose flights and references may have to be made. */
  readonly first_ms: number;
  readonly warm_ms: Spread;
}

type Ask = (target: string) => Promise<Answer>;

/** What one page of history takes over HTTP on loopback, the service and its client in one process. */
export async function serviceHistory(): Promise<object> {
  const simulated = makeSimulator({ seed: 1, aircraft: 20_000, drones: 2000 });
  const simulator = await measure(simulated, SIMULATED_BOXES, () => {
    for (const _ of simulated.prepare({ start: HOUR_START, end: NOW }));
  });
  const recording = existsSync(RECORDING)
    ? await measure(await openSource({ kind: 'recording', files: [RECORDING] }, NOW, () => {}), SWISS_BOXES)
    : undefined;
  const dense = await measure(denseSecond(), DENSE_BOXES);
  const pages = [...simulator.pages, ...(recording?.pages ?? []), ...dense.pages];
  const slowest = Math.max(...pages.map(({ warm_ms }) => warm_ms.median));
  return {
    what: `a page of ${LIMIT} of the past hour: 20,000 simulated aircraft, the Swiss recording, ${DENSE} observations in a second; over HTTP on loopback`,
    goal: { page_ms: GOAL_PAGE_MS },
    reached: slowest <= GOAL_PAGE_MS,
    slowest_warm_ms: slowest,
    simulator,
    recording: recording ?? 'not here',
    dense,
  };
}

/** All in the first second of the hour. */
function denseSecond(): Source {
  const observations = Array.from({ length: DENSE }, (_, index) =>
    observation({
      sourceId: `dense-${index}`,
      observedAt: addMs(HOUR_START, (index * 7) % SECOND_MS),
      lon: 8.5 + (index % 100) / 1e5,
      lat: 47.4 + Math.floor(index / 100) / 1e5,
    }),
  );
  return listedSource(observations);
}

/** `prepare` is what a running service has done between its first answers. */
async function measure(source: Source, boxes: Readonly<Record<string, Bbox>>, prepare: () => void = () => {}) {
  const service = await startService({ source, clock: () => NOW, allowance: UNLIMITED });
  const ask: Ask = async (target) => {
    const begin = performance.now();
    const text = await textOf(`${service.baseUrl}/${target}`, service.apiKey);
    const ms = performance.now() - begin;
    const { data, truncated } = JSON.parse(text) as { data: unknown[]; truncated: boolean };
    return { records: data.length, truncated, ms };
  };
  try {
    const [widest] = Object.values(boxes);
    const history = await ask(targetOf({ layer: 'adsb', bbox: widest!, start: HOUR_START, lengthMs: HOUR_MS }));
    const live = await ask(`live/adsb?bbox=${formatBbox(EUROPE)}&limit=${LIMIT}`);
    const preparing = performance.now();
    prepare();
    const prepareMs = performance.now() - preparing;
    const pages: Page[] = [];
    for (const layer of ['adsb', 'rid'] as const) {
      for (const box of Object.keys(boxes)) {
        for (const window of Object.keys(WINDOWS_MS) as (keyof typeof WINDOWS_MS)[]) {
          const answers = await askThroughTheHour(ask, layer, boxes[box]!, WINDOWS_MS[window]);
          pages.push({ layer, box, window, ...summary(answers) });
        }
      }
    }
    return {
      first_history_ms: Math.round(history.ms),
      first_live_ms: Math.round(live.ms),
      prepare_ms: Math.round(prepareMs),
      pages,
    };
  } finally {
    await service.close();
  }
}

/** Each question is about another part of the hour, so that no page is answered from the one before it. */
async function askThroughTheHour(ask: Ask, layer: Layer, bbox: Bbox, lengthMs: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let page = 0; page <= WARM_PAGES; page += 1) {
    const start = addMs(HOUR_START, Math.floor((page * (HOUR_MS - lengthMs)) / WARM_PAGES));
    answers.push(await ask(targetOf({ layer, bbox, start, lengthMs })));
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

function targetOf({ layer, bbox, start, lengthMs }: Question): string {
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
