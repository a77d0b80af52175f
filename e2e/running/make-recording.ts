import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { ServiceSetting } from './running-service.ts';

/** A drone or aircraft that is received at one place all the time. What is left out was not reported. */
export interface StandingTrack {
  readonly id: string;
  readonly lon: number;
  readonly lat: number;
  readonly alt_m?: number;
  readonly gs_mps?: number;
  readonly trk_deg?: number;
}

const STARTS_AT_MS = Date.UTC(2026, 0, 1);
const LASTS_MS = 10 * MINUTE_MS;
const EVERY_MS = 5000;

/** That many tracks that are received at one place in one and the same moment, and never else. */
export interface Burst {
  readonly afterMs: number;
  readonly tracks: number;
  readonly lon: number;
  readonly lat: number;
}

/** Writes a recording of one layer for the service to play. @returns the file */
export function makeRecording(
  folder: string,
  layer: 'rid' | 'adsb',
  tracks: readonly StandingTrack[],
  burst?: Burst,
): string {
  const lines: string[] = [];
  for (let ms = 0; ms < LASTS_MS; ms += EVERY_MS) {
    const t = new Date(STARTS_AT_MS + ms).toISOString();
    for (const track of tracks) lines.push(JSON.stringify({ t, ...track }));
    if (!burst || burst.afterMs < ms || burst.afterMs >= ms + EVERY_MS) continue;
    const { lon, lat, afterMs } = burst;
    const at = new Date(STARTS_AT_MS + afterMs).toISOString();
    for (let track = 0; track < burst.tracks; track++)
      lines.push(JSON.stringify({ t: at, id: `burst-${track}`, lon, lat }));
  }
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${layer}-standing.jsonl.gz`);
  writeFileSync(file, gzipSync(lines.join('\n')));
  return file;
}

/** A service that plays these recordings. */
export function playing(...files: readonly string[]): ServiceSetting {
  return { options: ['--source', `recording:${files.join(',')}`] };
}
