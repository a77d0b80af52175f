import type { LonLat } from '#lib/geo/great-circle.ts';
import { AIRPORT_TABLE, type AirportRow, type AirportSize } from './airport-table.ts';

export interface Airport extends LonLat {
  readonly icao: string;
  readonly elevationM: number;
  /** True direction of the main runway, one of its two. */
  readonly runwayDeg: number;
  readonly size: AirportSize;
}

export type AirportGroup = keyof typeof AIRPORT_TABLE;

const byCode = new Map<string, Airport>();
const byGroup = new Map<string, readonly Airport[]>();
for (const [group, rows] of Object.entries<readonly AirportRow[]>(AIRPORT_TABLE)) {
  const airports = rows.map(([icao, lon, lat, elevationM, runwayDeg, size]) => {
    return { icao, lon, lat, elevationM, runwayDeg, size };
  });
  byGroup.set(group, airports);
  for (const airport of airports) byCode.set(airport.icao, airport);
}

export function airportsOf(group: AirportGroup): readonly Airport[] {
  return byGroup.get(group)!;
}

/** Throws where the table has no such airport. */
export function airport(icao: string): Airport {
  const found = byCode.get(icao);
  if (!found) throw new RangeError(`no airport ${icao} in the table`);
  return found;
}

/** A number of its own for every airport code. */
export function codeNumber(icao: string): number {
  return Number.parseInt(icao, 36);
}
