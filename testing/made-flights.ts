import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { HOUR_MS } from '#lib/time/time-units.ts';

const START_MS = Date.UTC(2026, 0, 1);
const DURATION_MS = 4 * HOUR_MS;
const INTERVAL_MS = 10_000;
const FLIGHTS = 30;

/** Some aircraft never report an altitude. @returns the path */
export function makeHourOfFlights(folder: string): string {
  const lines: string[] = [];
  for (let ms = 0; ms < DURATION_MS; ms += INTERVAL_MS) {
    for (let flight = 0; flight < FLIGHTS; flight++) {
      const phase = (ms / DURATION_MS) * (3 + (flight % 5)) * 2 * Math.PI + flight;
      lines.push(
        JSON.stringify({
          t: new Date(START_MS + ms + flight).toISOString(),
          id: `flight-${flight}`,
          lon: Number((8.2 + 2.4 * Math.sin(phase)).toFixed(5)),
          lat: Number((46.9 + 1.4 * Math.cos(phase * 1.3)).toFixed(5)),
          alt_m: flight % 7 === 0 ? null : 3000 + 300 * flight,
          gs_mps: 120 + flight,
          trk_deg: 90,
        }),
      );
    }
  }
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'adsb-flights.jsonl.gz');
  writeFileSync(file, gzipSync(lines.join('\n')));
  return file;
}
