import { BASEMAP_MAX_TILE_ZOOM } from '#components/map/basemap/basemap-tileset.ts';
import { polygonShapes } from './flat-shapes.ts';
import { groupTouching } from './group-touching.ts';
import { CELL_AREA_KM2 } from './lake-mask.ts';
import { lakeOutlines } from './lake-outlines.ts';
import { approximateAreaKm2, type Ring } from './planar-ring.ts';
import type { TileFeature } from './vector-tiles.ts';

/** Gaps in the source are narrower than about a kilometre. */
const PIECE_GAP_DEG = 0.012;

/** Smaller pieces, a third of the source, are ponds and fragments along shores. */
const PIECE_AREA_MIN_KM2 = 0.5;

/** Natural Earth has a better coast of the Caspian Sea (371,000 km²). */
const LAKE_AREA_MAX_KM2 = 300_000;

/** At the last zoom. Each lower zoom requires four times the area: about 20 px². */
const LAKE_AREA_MIN_KM2 = 14;

export function lakeShapes(lakes: GeoJSON.GeometryCollection<GeoJSON.MultiPolygon>): TileFeature[] {
  const pieces = lakes.geometries
    .flatMap(({ coordinates }) => coordinates as unknown as Ring[][])
    .filter(([outline]) => approximateAreaKm2(outline!) >= PIECE_AREA_MIN_KM2);
  const areasKm2 = pieces.map(([outline]) => approximateAreaKm2(outline!));
  const groups = groupTouching(
    pieces.map(([outline]) => outline!),
    PIECE_GAP_DEG,
  );
  return groups
    .filter((group) => {
      const areaKm2 = group.reduce((sum, i) => sum + areasKm2[i]!, 0);
      return areaKm2 >= LAKE_AREA_MIN_KM2 && areaKm2 <= LAKE_AREA_MAX_KM2;
    })
    .flatMap((group) =>
      lakeOutlines(
        group.map((i) => pieces[i]!),
        LAKE_AREA_MIN_KM2 / CELL_AREA_KM2,
      ),
    )
    .flatMap((rings) => {
      const minZoom = lakeMinZoom(approximateAreaKm2(rings[0]!));
      return polygonShapes({ type: 'Polygon', coordinates: rings as unknown as GeoJSON.Position[][] }, minZoom);
    });
}

function lakeMinZoom(areaKm2: number): number {
  const zoom = Math.ceil(BASEMAP_MAX_TILE_ZOOM - Math.log2(areaKm2 / LAKE_AREA_MIN_KM2) / 2);
  return Math.min(BASEMAP_MAX_TILE_ZOOM, Math.max(0, zoom));
}
