import { mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { foldedName, PLACE_INDEX_VERSION } from '#lib/model/folded-name.ts';
import {
  type AirportRecord,
  isConsistent,
  type RunwayRecord,
  readAirports,
  readRunways,
} from '../basemap/airport-records.ts';
import { type GeoNamesPlace, readPlaces } from '../basemap/read-package-data.ts';

interface Entry {
  readonly kind: 'place' | 'airport' | 'heliport' | 'seaplane_base' | 'balloonport';
  readonly name: string;
  readonly codes: string;
  readonly city: string | null;
  readonly country: string;
  readonly population: number | null;
  readonly closed: boolean;
  readonly major: boolean;
  readonly lat: number;
  readonly lon: number;
  readonly importance: number;
  /** Those of an airport whose two ends are known. */
  readonly runways: readonly RunwayRecord[];
}

/** GeoNames: abandoned, destroyed or renamed. */
const GONE = new Set(['PPLQ', 'PPLW', 'PPLH', 'PPLCH']);

/** Fewer searches than a town of the same size. */
const DISTRICT = 'PPLX';

/** Population of a place with as many searches. */
const AIRPORT_IMPORTANCE: Readonly<Record<AirportRecord['kind'], number>> = {
  large: 100_000,
  medium: 20_000,
  small: 2_000,
  seaplane_base: 1_000,
  heliport: 500,
  balloonport: 300,
  closed: 0,
};

const SCHEMA = `
  CREATE TABLE place (
    id INTEGER PRIMARY KEY, kind TEXT, name TEXT, folded TEXT, codes TEXT, city TEXT, country TEXT,
    population INTEGER, closed INTEGER, major INTEGER, lat REAL, lon REAL
  );
  CREATE TABLE code (code TEXT, id INTEGER, PRIMARY KEY (code, id)) WITHOUT ROWID;
  CREATE TABLE runway (id INTEGER, name TEXT, from_lon REAL, from_lat REAL, to_lon REAL, to_lat REAL);
  CREATE TABLE searched (places INTEGER, airports INTEGER);
  CREATE VIRTUAL TABLE words USING fts5(name, more, content='', detail=column, prefix='2 3', tokenize="unicode61 remove_diacritics 0");
`;

/**
 * Builds the database that the search for places and airports reads, from the installed packages: it uses no network. The
 * file is replaced once the new one is complete.
 */
export function buildPlaceIndex(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  // Tests that start at the same time each build their own.
  const unfinished = `${file}.${process.pid}.unfinished`;
  rmSync(unfinished, { force: true });
  const places = readPlaces()
    .filter(({ featureCode }) => !GONE.has(featureCode))
    .map(placeEntry);
  const runways = Map.groupBy(readRunways(), ({ airportId }) => airportId);
  const airports = readAirports().map((airport) => airportEntry(airport, runways.get(airport.id) ?? []));
  writeIndex(unfinished, places, airports);
  renameSync(unfinished, file);
}

function writeIndex(file: string, places: readonly Entry[], airports: readonly Entry[]): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  database.exec(`${SCHEMA}; PRAGMA user_version = ${PLACE_INDEX_VERSION}`);
  database.exec('BEGIN');
  database.prepare('INSERT INTO searched VALUES (?, ?)').run(places.length, airports.length);
  const place = database.prepare('INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const code = database.prepare('INSERT OR IGNORE INTO code VALUES (?, ?)');
  const runway = database.prepare('INSERT INTO runway VALUES (?, ?, ?, ?, ?, ?)');
  const words = database.prepare('INSERT INTO words (rowid, name, more) VALUES (?, ?, ?)');
  const countryNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const entries = [...places, ...airports].sort((a, b) => b.importance - a.importance);
  for (const [id, entry] of entries.entries()) {
    const { kind, name, codes, city, country, population, closed, major, lat, lon } = entry;
    const folded = foldedName(name);
    place.run(id, kind, name, folded, codes, city, country, population, Number(closed), Number(major), lat, lon);
    for (const each of codes.split(' ')) if (each !== '') code.run(foldedName(each), id);
    for (const { ends } of entry.runways) {
      const [from, to] = ends;
      runway.run(id, `${from.ident}/${to.ident}`, from.lon, from.lat, to.lon, to.lat);
    }
    const countryName = /^[A-Z]{2}$/.test(country) ? (countryNames.of(country) ?? '') : '';
    words.run(id, foldedName(`${name} ${codes}`), foldedName(`${city ?? ''} ${country} ${countryName}`));
  }
  database.exec('COMMIT');
  database.exec('CREATE INDEX place_folded ON place (folded)');
  database.exec('CREATE INDEX runway_id ON runway (id)');
  database.exec('CREATE INDEX place_at ON place (lat, lon)');
  database.exec("INSERT INTO words (words) VALUES ('optimize')");
  database.close();
}

function placeEntry({ name, country, population, featureCode, loc }: GeoNamesPlace): Entry {
  const [lon, lat] = loc.coordinates;
  return {
    kind: 'place',
    name,
    codes: '',
    city: null,
    country,
    // GeoNames' "unknown" is 0.
    population: population > 0 ? population : null,
    closed: false,
    major: false,
    lat,
    lon,
    importance: featureCode === DISTRICT ? population / 20 : population,
    runways: [],
  };
}

function airportEntry(airport: AirportRecord, runways: readonly RunwayRecord[]): Entry {
  const { kind, name, icao, iata, local, city, country, lon, lat } = airport;
  return {
    kind: kind === 'heliport' || kind === 'seaplane_base' || kind === 'balloonport' ? kind : 'airport',
    name,
    codes: [icao ?? local, iata].filter((code) => code !== undefined).join(' '),
    city: city ?? null,
    country,
    population: null,
    closed: kind === 'closed',
    major: kind === 'large' || kind === 'medium',
    lat,
    lon,
    importance: AIRPORT_IMPORTANCE[kind],
    runways: kind === 'closed' ? [] : runways.filter((runway) => isConsistent(runway, airport)),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = process.argv[2];
  if (file === undefined) throw new Error('usage: build-place-index.ts FILE');
  buildPlaceIndex(file);
}
