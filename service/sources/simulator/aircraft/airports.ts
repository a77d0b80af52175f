import type { LonLat } from '#lib/geo/great-circle.ts';
import type { AirportRow, AirportSize } from './airport-row.ts';
import { ALPINE_AIRPORTS } from './alpine-airports.ts';
import { WORLD_AIRPORTS } from './world-airports.ts';

export interface Airport extends LonLat {
  readonly icao: string;
  readonly elevationM: number;
  /** True direction of the main runway: either of its two, degrees clockwise from north. */
  readonly runwayDeg: number;
  readonly size: AirportSize;
}

const AIRPORTS = { ...ALPINE_AIRPORTS, ...WORLD_AIRPORTS };

export type AirportGroup = keyof typeof AIRPORTS;
export const AIRPORT_GROUPS = Object.keys(AIRPORTS) as AirportGroup[];

const byCode = new Map<string, Airport>();
const byGroup = new Map<string, readonly Airport[]>();
for (const [group, rows] of Object.entries<readonly AirportRow[]>(AIRPORTS)) {
  const airports = rows.map(([icao, lon, lat, elevationM, runwayDeg, size]) => {
    return { icao, lon, lat, elevationM, runwayDeg, size };
  });
  byGroup.set(group, airports);
  for (const airport of airports) byCode.set(airport.icao, airport);
}

export function airportsOf(group: AirportGroup): readonly Airport[] {
  return byGroup.get(group)!;
}

/** Throws a RangeError if the table has no such airport. */
export function airport(icao: string): Airport {
  const found = byCode.get(icao);
  if (!found) throw new RangeError(`no airport ${icao} in the table`);
  return found;
}

/** A distinct number for every airport code. */
export function codeNumber(icao: string): number {
  return Number.parseInt(icao, 36);
}
