import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { ServiceSetting } from './running-service.ts';

export interface StationaryTrack {
  /** A multiple of a second. Default: 5 s. */
  readonly everyMs?: number;
  readonly northDegPerS?: number;
  readonly id: string;
  readonly lon: number;
  readonly lat: number;
  readonly alt_m?: number;
  readonly gs_mps?: number;
  readonly trk_deg?: number;
}

const START_MS = Date.UTC(2026, 0, 1);
const DURATION_MS = 10 * MINUTE_MS;
const INTERVAL_MS = 5000;

export interface Burst {
  /** Since the start of the recording. */
  readonly afterMs: number;
  readonly tracks: number;
  readonly lon: number;
  readonly lat: number;
}

/** @returns the path */
export function makeRecording(
  folder: string,
  layer: 'rid' | 'adsb',
  tracks: readonly StationaryTrack[],
  burst?: Burst,
  durationMs = DURATION_MS,
): string {
  const lines: string[] = [];
  for (let ms = 0; ms < durationMs; ms += 1000) {
    const t = new Date(START_MS + ms).toISOString();
    for (const { everyMs = INTERVAL_MS, northDegPerS = 0, ...track } of tracks) {
      const lat = track.lat + (northDegPerS * ms) / 1000;
      if (ms % everyMs === 0) lines.push(JSON.stringify({ t, ...track, lat }));
    }
    if (ms % INTERVAL_MS !== 0) continue;
    if (!burst || burst.afterMs < ms || burst.afterMs >= ms + INTERVAL_MS) continue;
    const { lon, lat, afterMs } = burst;
    const at = new Date(START_MS + afterMs).toISOString();
    for (let track = 0; track < burst.tracks; track++)
      lines.push(JSON.stringify({ t: at, id: `burst-${track}`, lon, lat }));
  }
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${layer}-stationary.jsonl.gz`);
  writeFileSync(file, gzipSync(lines.join('\n')));
  return file;
}

export function playing(...files: readonly string[]): ServiceSetting {
  return { options: ['--source', `recording:${files.join(',')}`] };
}
