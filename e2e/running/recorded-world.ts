import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { makeRecording, playing } from './make-recording.ts';
import type { ServiceSetting } from './running-service.ts';

/** Three marks at one place. */
export const PILE = { lon: 20.2, lat: 46.9 };

/** Three speeds, and one unknown. */
export const SPEEDS = {
  slow: { lon: 8.2, lat: 46.9 },
  fast: { lon: 8.4, lat: 46.9 },
  unknown: { lon: 8.6, lat: 46.9 },
  south: { lon: 8.4, lat: 46.7 },
};

/** Only the jet reports speed and heading. */
export const MEASURED = { balloon: { lon: 30.2, lat: 46.9 }, jet: { lon: 30.6, lat: 47.1 } };

/** Aircraft and drones. */
export const BOTH = { lon: 40.2, lat: 46.9 };

const AIRCRAFT = [
  ...['one', 'two', 'three'].map((id) => ({ id, ...PILE, alt_m: 2000, trk_deg: 90 })),
  { id: 'slow', ...SPEEDS.slow, alt_m: 1000, gs_mps: 5 },
  { id: 'fast', ...SPEEDS.fast, alt_m: 1000, gs_mps: 280 },
  { id: 'unknown', ...SPEEDS.unknown, alt_m: 1000 },
  { id: 'south', ...SPEEDS.south, alt_m: 1000, gs_mps: 90 },
  { id: 'balloon', ...MEASURED.balloon },
  { id: 'jet', ...MEASURED.jet, gs_mps: 200, trk_deg: 45 },
  { id: 'both', ...BOTH, alt_m: 3000, gs_mps: 100, trk_deg: 180 },
];
const DRONES = [
  { id: 'near', lon: BOTH.lon + 0.05, lat: BOTH.lat, alt_m: 60, gs_mps: 5, trk_deg: 90 },
  { id: 'far', lon: BOTH.lon - 0.1, lat: BOTH.lat, alt_m: 60, gs_mps: 5, trk_deg: 90 },
];

/** Far from all tracks. Makes its minute the present one: more than an hour of the recording is past. */
const BURST = { afterMs: 70 * MINUTE_MS, tracks: 20, lon: -150, lat: -40 };
const DURATION_MS = 150 * MINUTE_MS;

let setting: ServiceSetting | undefined;

export function recordedWorld(): ServiceSetting {
  setting ??= playing(...record(mkdtempSync(join(tmpdir(), 'lookout-world-'))));
  return setting;
}

function record(folder: string): string[] {
  return [
    makeRecording(folder, 'adsb', AIRCRAFT, BURST, DURATION_MS),
    makeRecording(folder, 'rid', DRONES, BURST, DURATION_MS),
  ];
}
