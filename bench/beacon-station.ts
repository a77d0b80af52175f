import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { destination } from '#lib/geo/great-circle.ts';
import { serveOnLoopback } from './serve-on-loopback.ts';

/** Around it everything flies. */
export const MIDDLE = { lat: 46.9, lon: 8.2 };
const WRITTEN_EVERY_MS = 1000;
/** Another program, which writes at another time. */
const DRONES_LATER_MS = 430;
const SPEED_MPS = 200;
const KNOTS = 3600 / 1852;
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };

export interface Station {
  /** Where tar1090 is, with `data/aircraft.json`. */
  readonly url: string;
  /** Of the list of drones, as DragonSync has it. */
  readonly drones: string;
  /** Positions of aircraft, and of aircraft and drones, that it wrote between two times. */
  written(fromMs: number, untilMs: number): { readonly aircraft: number; readonly all: number };
  /** How many aircraft it receives from now on. */
  receive(aircraft: number): void;
  close(): Promise<void>;
}

/** A receiver of aircraft and one of drones; each writes the place of everything once a second, all at once. */
export async function startStation(droneCount: number, tar1090: string | undefined): Promise<Station> {
  let aircraftCount = 0;
  let aircraftJson = '{}';
  let dronesJson = '{"drones":[]}';
  const writes: { readonly ms: number; readonly aircraft: number; readonly drones: number }[] = [];
  /** Seconds flown out and back: a mark that jumps is taken for an error. */
  const outS = (index: number, now: number) => Math.abs(((now / 1000 + index) % 120) - 60);
  const place = (index: number, count: number, now: number) => {
    const home = destination(MIDDLE, (index * 137.5) % 360, 2000 + 60_000 * Math.sqrt(index / count));
    return destination(home, 90, outS(index, now) * SPEED_MPS);
  };
  function writeAircraft(): void {
    const now = Date.now();
    const aircraft = Array.from({ length: aircraftCount }, (_, index) => ({
      hex: (0x3c_0000 + index).toString(16),
      type: 'adsb_icao',
      alt_baro: 20_000 + index,
      gs: SPEED_MPS * KNOTS,
      track: 90,
      ...place(index, aircraftCount, now),
      seen_pos: 0,
      seen: 0,
      messages: now % 1e6,
      rc: 186,
    }));
    writes.push({ ms: now, aircraft: aircraftCount, drones: 0 });
    aircraftJson = JSON.stringify({ now: now / 1000, messages: now % 1e9, aircraft });
  }
  function writeDrones(): void {
    const now = Date.now();
    const drones = Array.from({ length: droneCount }, (_, index) => ({
      id: `drone-1581F5BKD229000${String(index).padStart(5, '0')}`,
      track_type: 'drone',
      ...destination(MIDDLE, index * 18, 500 + outS(index, now) * 10),
      alt: 500,
      speed: 10,
      observed_at: now / 1000,
    }));
    writes.push({ ms: now, aircraft: 0, drones: droneCount });
    dronesJson = JSON.stringify({ drones });
  }
  const answer: RequestListener = async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '', 'http://station').pathname));
    const json = (text: string) => response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    if (path === '/data/aircraft.json') return json(aircraftJson);
    if (path === '/drones') return json(dronesJson);
    if (path === '/data/receiver.json')
      return json(JSON.stringify({ refresh: WRITTEN_EVERY_MS, history: 0, version: 'bench', ...MIDDLE }));
    const file = join(tar1090 ?? '', 'html', path === '/' ? 'index.html' : path);
    const body = tar1090 === undefined ? undefined : await readFile(file).catch(() => undefined);
    if (body === undefined) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(body);
  };
  const served = await serveOnLoopback(answer);
  const url = served.url.slice(0, -1);
  const timers: NodeJS.Timeout[] = [setInterval(writeAircraft, WRITTEN_EVERY_MS)];
  setTimeout(() => timers.push(setInterval(writeDrones, WRITTEN_EVERY_MS)), DRONES_LATER_MS);
  return {
    url,
    drones: `dragonsync+${url}/drones`,
    written(fromMs, untilMs) {
      const within = writes.filter(({ ms }) => ms >= fromMs && ms < untilMs);
      const aircraft = within.reduce((sum, each) => sum + each.aircraft, 0);
      return { aircraft, all: within.reduce((sum, each) => sum + each.drones, aircraft) };
    },
    receive(aircraft) {
      aircraftCount = aircraft;
      writeAircraft();
    },
    async close() {
      for (const timer of timers) clearInterval(timer);
      await served.close();
    },
  };
}
