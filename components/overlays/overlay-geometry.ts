import type { OverlayGeometry } from '#lib/api/overlay.ts';
import { OverlayProblem } from './overlay-problem.ts';

type LonLat = [number, number];

/** A tenth of a metre. */
const DECIMALS = 1e6;
const DEPTH_MAX = 20;

/**
 * In two dimensions, collections flattened; none for `null`.
 * @param where names the feature in an error
 * @throws OverlayProblem if it is no GeoJSON, or not in degrees
 */
export function flatGeometries(geometry: unknown, where: string, depth = 0): OverlayGeometry[] {
  if (geometry === null || geometry === undefined) return [];
  const { type, coordinates, geometries } = geometry as Record<string, unknown>;
  const read = new CoordinateReader(where);
  switch (type) {
    case 'Point':
      return [{ type, coordinates: read.position(coordinates) }];
    case 'MultiPoint':
      return isEmpty(coordinates) ? [] : [{ type, coordinates: read.positions(coordinates, 1) }];
    case 'LineString':
      return [{ type, coordinates: read.positions(coordinates, 2) }];
    case 'MultiLineString':
      return isEmpty(coordinates) ? [] : [{ type, coordinates: read.lines(coordinates, 2) }];
    case 'Polygon':
      return isEmpty(coordinates) ? [] : [{ type, coordinates: read.lines(coordinates, 4) }];
    case 'MultiPolygon':
      if (isEmpty(coordinates)) return [];
      return [{ type, coordinates: read.list(coordinates).map((rings) => read.lines(rings, 4)) }];
    case 'GeometryCollection':
      if (depth === DEPTH_MAX)
        throw new OverlayProblem(`${where} has collections within collections, too deep to read.`);
      return read.list(geometries).flatMap((part) => flatGeometries(part, where, depth + 1));
    default:
      throw new OverlayProblem(
        `${where} has a geometry of the type ${JSON.stringify(type)}, which GeoJSON does not have.`,
      );
  }
}

class CoordinateReader {
  readonly #where: string;

  constructor(where: string) {
    this.#where = where;
  }

  list(value: unknown): readonly unknown[] {
    if (!Array.isArray(value)) throw new OverlayProblem(`${this.#where} has no coordinates.`);
    return value;
  }

  lines(value: unknown, min: number): LonLat[][] {
    return this.list(value).map((line) => this.positions(line, min));
  }

  positions(value: unknown, min: number): LonLat[] {
    const positions = this.list(value).map((position) => this.position(position));
    if (positions.length < min)
      throw new OverlayProblem(`${this.#where} has a shape of ${positions.length} positions, where ${min} are needed.`);
    return positions;
  }

  position(value: unknown): LonLat {
    const [lon, lat] = this.list(value);
    if (typeof lon !== 'number' || typeof lat !== 'number' || !Number.isFinite(lon) || !Number.isFinite(lat))
      throw new OverlayProblem(`${this.#where} has a position without longitude and latitude.`);
    if (Math.abs(lon) > 180 || Math.abs(lat) > 90)
      throw new OverlayProblem(
        `${this.#where} has the position ${lon}, ${lat}, which is no longitude and latitude in degrees. Save the file in WGS 84 (EPSG:4326).`,
      );
    return [Math.round(lon * DECIMALS) / DECIMALS, Math.round(lat * DECIMALS) / DECIMALS];
  }
}

function isEmpty(coordinates: unknown): boolean {
  return Array.isArray(coordinates) && coordinates.length === 0;
}
