import { BASEMAP_MAX_TILE_ZOOM } from '#components/map/basemap/basemap-tileset.ts';
import { type FlatShape, polygonShapes } from './flat-shapes.ts';
import { groupTouching } from './group-touching.ts';
import { CELL_AREA_KM2 } from './lake-mask.ts';
import { lakeOutlines } from './lake-outlines.ts';
import { approximateAreaKm2, type Ring } from './planar-ring.ts';

/** Pieces whose bounding boxes lie this close are drawn together; the gaps in the source are narrower than a kilometre or so. */
const PIECE_GAP_DEG = 0.012;

/** Smaller pieces are crumbs along a shore and ponds, a third of the source, and fill no cell of the mask by themselves. */
const PIECE_AREA_MIN_KM2 = 0.5;

/** The Caspian Sea (371,000 km²) is in the source too, but Natural Earth has it as sea, with a better coast. */
const LAKE_AREA_MAX_KM2 = 300_000;

/** A lake of this size is the smallest of the last zoom; each zoom less asks for four times as much, about 20 px². */
const LAKE_AREA_MIN_KM2 = 14;

/** Lakes, each at the zooms where it is more than a speck. */
export function lakeShapes(lakes: GeoJSON.GeometryCollection<GeoJSON.MultiPolygon>): FlatShape[] {
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
