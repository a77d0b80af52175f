import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import type { Layer } from '#lib/contract/operation.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { formatInstant, type Instant, instantFromMs } from '#lib/time/instant.ts';
import { startService } from '#service/server/start-service.ts';
import type { Source } from '#service/sources/observation.ts';
import { openSource } from '#service/sources/open-source.ts';
import { type Spread, spread } from './spread.ts';

const RECORDING = join(import.meta.dirname, '../../shared/recordings/adsb-traffic_switzerland_20180801.jsonl.gz');
const NOW = instantFromMs(Date.UTC(2026, 10, 21, 12, 0, 10));
const LIMIT = 1000;
const GOAL_PAGE_MS = 50;
const WARM_PAGES = 5;

const SECOND_MS = 1000;
const WINDOWS_MS = {
  '1 s': SECOND_MS,
  '10 s': 10 * SECOND_MS,
  '5 min': 300 * SECOND_MS,
  '1 h': 3600 * SECOND_MS,
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

interface Page {
  readonly records: number;
  readonly truncated: boolean;
  readonly ms: number;
}

interface Asked {
  readonly layer: Layer;
  readonly bbox: Bbox;
  readonly start: Instant;
  readonly lengthMs: number;
}

/** What one page of history takes over HTTP on loopback, the service and its client in one process. */
export async function serviceHistory(): Promise<object> {
  const simulator = await measure(
    () => openSource({ kind: 'simulator', seed: 1, aircraft: 20_000, drones: 2000 }, NOW, () => {}),
    SIMULATED_BOXES,
  );
  const recording = existsSync(RECORDING)
    ? await measure(() => openSource({ kind: 'recording', files: [RECORDING] }, NOW, () => {}), SWISS_BOXES)
    : undefined;
  const warm = [...simulator.pages, ...(recording?.pages ?? [])].map(({ warm_ms }) => warm_ms.median);
  return {
    what: `a page of ${LIMIT} of an hour of 20,000 simulated aircraft and of the Swiss recording, over HTTP on loopback`,
    goal: { page_ms: GOAL_PAGE_MS },
    reached: Math.max(...warm) <= GOAL_PAGE_MS,
    slowest_warm_ms: Math.max(...warm),
    simulator,
    recording: recording ?? 'not here',
  };
}

async function measure(open: () => Promise<Source>, boxes: Readonly<Record<string, Bbox>>) {
  const opening = performance.now();
  const source = await open();
  const openMs = performance.now() - opening;
  const service = await startService({
    source,
    clock: () => NOW,
    allowance: { perMinute: 1_000_000, perDay: 1_000_000 },
  });
  const ask = async (target: string): Promise<Page> => {
    const begin = performance.now();
    const text = await textOf(`${service.baseUrl}/${target}`, service.apiKey);
    const ms = performance.now() - begin;
    const { data, truncated } = JSON.parse(text) as { data: unknown[]; truncated: boolean };
    return { records: data.length, truncated, ms };
  };
  try {
    const cold = await ask(targetOf({ layer: 'adsb', bbox: boxes['5°']!, start: hourBefore(NOW), lengthMs: 3.6e6 }));
    const europe = { west: -10, south: 35, east: 20, north: 60 };
    const coldLive = await ask(`live/adsb?bbox=${formatBbox(europe)}&limit=${LIMIT}`);
    const pages: {
      box: string;
      window: string;
      layer: Layer;
      records: number;
      truncated: boolean;
      warm_ms: Spread;
      first_ms: number;
    }[] = [];
    for (const layer of ['adsb', 'rid'] as const) {
      for (const [box, bbox] of Object.entries(boxes)) {
        for (const [window, lengthMs] of Object.entries(WINDOWS_MS)) {
          // Each page another part of the hour, so that no page is answered from the one before it.
          const stepMs = (3_600_000 - lengthMs) / WARM_PAGES;
          const asked: Page[] = [];
          for (let page = 0; page <= WARM_PAGES; page += 1) {
            const start = instantFromMs(hourBefore(NOW) + Math.floor(page * stepMs));
            asked.push(await ask(targetOf({ layer, bbox, start, lengthMs })));
          }
          const [first, ...warm] = asked;
          pages.push({
            layer,
            box,
            window,
            records: Math.max(...asked.map(({ records }) => records)),
            truncated: asked.some(({ truncated }) => truncated),
            first_ms: Math.round(first!.ms * 100) / 100,
            warm_ms: spread(warm.map(({ ms }) => ms)),
          });
        }
      }
    }
    return {
      open_ms: Math.round(openMs),
      first_history_ms: Math.round(cold.ms),
      first_live_ms: Math.round(coldLive.ms),
      pages,
    };
  } finally {
    await service.close();
  }
}

function hourBefore(now: Instant): Instant {
  return instantFromMs(now - 3_600_000);
}

function targetOf({ layer, bbox, start, lengthMs }: Asked): string {
  const end = instantFromMs(start + lengthMs);
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
