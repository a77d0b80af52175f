import type { PlaceAttributes } from '#components/map/basemap/basemap-tileset.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import type { GeoNamesPlace } from './read-package-data.ts';

export interface RankedPlace {
  readonly lon: number;
  readonly lat: number;
  readonly attributes: PlaceAttributes;
}

/** Of the population: capitals and regional seats are better landmarks than suburbs. */
const CAPITAL_FACTOR = 4;
const REGIONAL_SEAT_FACTOR = 1.6;

const SCORE_OF_RANK_0 = 1e8;

/** GeoNames: city districts, abandoned, destroyed and historical places, farms, localities. */
const EXCLUDED_CODES = new Set(['PPLX', 'PPLQ', 'PPLW', 'PPLH', 'PPLCH', 'PPLF', 'PPLL', 'PPLR', 'PPLS']);

/** By zoom: the weighted population that a place should have. */
const USUAL_SCORE_BY_ZOOM = [8e6, 8e6, 4e6, 1.5e6, 5e5, 2e5, 8e4, 3e4, 1e4, 4e3, 1e3] as const;

export const PLACES_ZOOM_MAX = USUAL_SCORE_BY_ZOOM.length - 1;

/** An eighth of the usual score needs this much room. */
const SPACING_FACTOR_MAX = 4;

/** To more important places: an ellipse, because labels are wide. */
export const PLACE_SPACING_PX = { x: 92, y: 48 } as const;

const WORLD_PX = 512;

/** Sorts by importance, and drops places without room. */
export function rankedPlaces(places: readonly GeoNamesPlace[]): RankedPlace[] {
  const candidates = places
    .filter((place) => !EXCLUDED_CODES.has(place.featureCode))
    .map((place) => ({ place, score: score(place), ...unitSquare(place) }))
    .sort((a, b) => b.score - a.score || a.x - b.x || a.y - b.y);

  const minZooms = new Map<(typeof candidates)[number], number>();
  for (const [zoom, usualScore] of USUAL_SCORE_BY_ZOOM.entries()) {
    const grid = new SpacingGrid(
      PLACE_SPACING_PX.x / (WORLD_PX * 2 ** zoom),
      PLACE_SPACING_PX.y / (WORLD_PX * 2 ** zoom),
    );
    for (const { x, y } of minZooms.keys()) grid.take(x, y);
    for (const candidate of candidates) {
      const factor = spacingFactor(candidate.score, usualScore);
      if (factor > SPACING_FACTOR_MAX) break;
      if (minZooms.has(candidate)) continue;
      if (grid.isFree(candidate.x, candidate.y, factor)) {
        minZooms.set(candidate, zoom);
        grid.take(candidate.x, candidate.y);
      } else {
        grid.reserve(candidate.x, candidate.y);
      }
    }
  }

  return candidates
    .filter((candidate) => minZooms.has(candidate))
    .map((candidate) => ({
      lon: candidate.place.loc.coordinates[0],
      lat: candidate.place.loc.coordinates[1],
      attributes: {
        name: labelName(candidate.place.name),
        min_zoom: minZooms.get(candidate)!,
        rank: rank(candidate.score),
        weight: weight(candidate.place),
      },
    }));
}

/** Lone outposts appear early, but nothing small fills gaps between cities. */
function spacingFactor(scoreOfPlace: number, usualScore: number): number {
  return scoreOfPlace >= usualScore ? 1 : 1 + Math.log2(usualScore / Math.max(1, scoreOfPlace));
}

function score(place: GeoNamesPlace): number {
  if (place.featureCode === 'PPLC') return (place.population + 50_000) * CAPITAL_FACTOR;
  return place.featureCode === 'PPLA' ? place.population * REGIONAL_SEAT_FACTOR : place.population;
}

/** Quarters of an octave, because every distinct value makes tiles larger. */
function rank(scoreOfPlace: number): number {
  return Math.max(0, Math.round(4 * Math.log2(SCORE_OF_RANK_0 / Math.max(1, scoreOfPlace))));
}

function weight(place: GeoNamesPlace): number {
  if (place.featureCode === 'PPLC' || place.population >= 1_000_000) return 3;
  return place.population >= 100_000 ? 2 : 1;
}

/** GeoNames disambiguates in brackets or after a dash. */
function labelName(name: string): string {
  return name.split(/ \(| - /, 1)[0]!;
}

function unitSquare(place: GeoNamesPlace): { x: number; y: number } {
  const [lon, lat] = place.loc.coordinates;
  return { x: mercatorX(lon), y: mercatorY(lat) };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Keeps the spacing from taken points, and half of it from reserved ones. */
class SpacingGrid {
  private readonly taken = new PointCells();
  private readonly reserved = new PointCells();
  private readonly spacingX: number;
  private readonly spacingY: number;

  constructor(spacingX: number, spacingY: number) {
    this.spacingX = spacingX;
    this.spacingY = spacingY;
  }

  take(x: number, y: number): void {
    this.taken.add(x / this.spacingX, y / this.spacingY);
  }

  /** A small place with room in an earlier grid must not displace a large one for good. */
  reserve(x: number, y: number): void {
    this.reserved.add(x / this.spacingX, y / this.spacingY);
  }

  /** `factor` (≥ 1) multiplies the distance to taken points. */
  isFree(x: number, y: number, factor: number): boolean {
    const column = x / this.spacingX;
    const row = y / this.spacingY;
    return !this.taken.hasWithin(column, row, factor) && !this.reserved.hasWithin(column, row, 0.5);
  }
}

class PointCells {
  private readonly cells = new Map<number, Point[]>();

  add(x: number, y: number): void {
    const key = cellKey(Math.floor(x), Math.floor(y));
    const cell = this.cells.get(key);
    if (cell === undefined) this.cells.set(key, [{ x, y }]);
    else cell.push({ x, y });
  }

  hasWithin(x: number, y: number, distance: number): boolean {
    for (let column = Math.floor(x - distance); column <= x + distance; column++) {
      for (let row = Math.floor(y - distance); row <= y + distance; row++) {
        const cell = this.cells.get(cellKey(column, row)) ?? [];
        if (cell.some((point) => Math.hypot(point.x - x, point.y - y) < distance)) return true;
      }
    }
    return false;
  }
}

function cellKey(column: number, row: number): number {
  return row * 2 ** 24 + column;
}
