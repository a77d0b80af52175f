import { z } from 'zod';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { StationDay, StationHour } from './station-tally.ts';

export const STATIONS_VERSION = 1;

const count = z.int().min(0);
const seconds = count;

const daySchema = z.strictObject({
  version: z.literal(STATIONS_VERSION),
  hours: z.array(
    z.tuple([
      z.string(),
      z.int().min(0).max(23),
      /** Recorded, not connected, silent. */
      seconds,
      seconds,
      seconds,
      /** Fixes, alone. */
      count,
      count,
      /** Clock error and spread, ms. */
      z.int().nullable(),
      count.nullable(),
      /** Simulated. */
      z.literal([0, 1]),
    ]),
  ),
});
type Row = z.infer<typeof daySchema>['hours'][number];

/** At most 70 bytes a station and hour. */
export function encodeDay(day: StationDay): string {
  const rows = [...day].flatMap(([id, hours]) =>
    hours.flatMap((hour, index) => (hour === undefined ? [] : [rowOf(id, index, hour)])),
  );
  return `{"version":${STATIONS_VERSION},"hours":[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]}\n`;
}

/** @throws Error if it is not whole */
export function decodeDay(text: string): StationDay {
  const day: StationDay = new Map();
  for (const [id, index, recorded, notConnected, silent, fixes, alone, error, spread, simulated] of daySchema.parse(
    JSON.parse(text),
  ).hours) {
    const hours: (StationHour | undefined)[] = day.get(id) ?? Array.from({ length: 24 });
    day.set(id, hours);
    hours[index] = {
      recordedMs: recorded * SECOND_MS,
      notConnectedMs: notConnected * SECOND_MS,
      silentMs: silent * SECOND_MS,
      fixes,
      alone,
      clockErrorMs: error,
      clockSpreadMs: spread,
      simulated: simulated === 1,
    };
  }
  return day;
}

function rowOf(id: string, index: number, hour: StationHour): Row {
  return [
    id,
    index,
    inSeconds(hour.recordedMs),
    inSeconds(hour.notConnectedMs),
    inSeconds(hour.silentMs),
    hour.fixes,
    hour.alone,
    hour.clockErrorMs,
    hour.clockSpreadMs,
    hour.simulated ? 1 : 0,
  ];
}

export function inSeconds(ms: number): number {
  return Math.round(ms / SECOND_MS);
}
