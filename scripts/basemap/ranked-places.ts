import type { PlaceAttributes } from '#components/map/basemap/basemap-tileset.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import type { GeoNamesPlace } from './read-package-data.ts';
import { SpacingGrid } from './spacing-grid.ts';

/** A place where it lies in Web Mercator's unit square. */
export interface RankedPlace {
  readonly x: number;
  readonly y: number;
  readonly attributes: PlaceAttributes;
}

/** What a place counts for beside its people: seats of a country or of a region orient more than suburbs as large. */
const CAPITAL_FACTOR = 4;
const REGIONAL_SEAT_FACTOR = 1.6;

/** Above the score of every place. */
const SCORE_OF_RANK_0 = 1e8;

/** GeoNames: quarters of a city, abandoned, destroyed and historical places, farms, localities. */
const LEFT_OUT = new Set(['PPLX', 'PPLQ', 'PPLW', 'PPLH', 'PPLCH', 'PPLF', 'PPLL', 'PPLR', 'PPLS']);

/** The people (after the factors) that a place of a zoom should have, by index. */
const USUAL_SCORE_BY_ZOOM = [8e6, 8e6, 4e6, 1.5e6, 5e5, 2e5, 8e4, 3e4, 1e4, 4e3, 1e3] as const;

/** The last zoom at which further places appear. */
export const PLACES_ZOOM_MAX = USUAL_SCORE_BY_ZOOM.length - 1;

/** The most room that a small place may need: one with an eighth of the usual score and this much room around still shows. */
const SPACING_FACTOR_MAX = 4;

/** Room that a place keeps to more important ones, in pixels at the zoom where it appears: an ellipse, for labels are wide. */
export const PLACE_SPACING_PX = { x: 92, y: 48 } as const;

/** MapLibre's world at zoom 0. */
const WORLD_PX = 512;

/**
 * The places worth a label by order of importance, each with the first zoom that has room for it. Places for which there is
 * none up to PLACES_ZOOM_MAX are left out.
 */
export function rankedPlaces(places: readonly GeoNamesPlace[]): RankedPlace[] {
  const candidates = places
    .filter((place) => !LEFT_OUT.has(place.featureCode))
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
      x: candidate.x,
      y: candidate.y,
      attributes: {
        name: labelName(candidate.place.name),
        min_zoom: minZooms.get(candidate)!,
        rank: rank(candidate.score),
        weight: weight(candidate.place),
      },
    }));
}

/**
 * How much more room than usual a place needs: lone outposts show early, while between cities nothing small fills the gaps.
 * Never falls with a falling score.
 */
function spacingFactor(scoreOfPlace: number, usualScore: number): number {
  return scoreOfPlace >= usualScore ? 1 : 1 + Math.log2(usualScore / Math.max(1, scoreOfPlace));
}

function score(place: GeoNamesPlace): number {
  if (place.featureCode === 'PPLC') return (place.population + 50_000) * CAPITAL_FACTOR;
  return place.featureCode === 'PPLA' ? place.population * REGIONAL_SEAT_FACTOR : place.population;
}

/** Steps of 19% (a quarter of an octave): coarse, because every different value costs room in the tiles. */
function rank(scoreOfPlace: number): number {
  return Math.max(0, Math.round(4 * Math.log2(SCORE_OF_RANK_0 / Math.max(1, scoreOfPlace))));
}

function weight(place: GeoNamesPlace): number {
  if (place.featureCode === 'PPLC' || place.population >= 1_000_000) return 3;
  return place.population >= 100_000 ? 2 : 1;
}

/** Without what GeoNames adds in brackets or after a dash to tell namesakes apart. */
function labelName(name: string): string {
  return name.split(/ \(| - /, 1)[0]!;
}

function unitSquare(place: GeoNamesPlace): { x: number; y: number } {
  const [lon, lat] = place.loc.coordinates;
  return { x: mercatorX(lon), y: mercatorY(lat) };
}
