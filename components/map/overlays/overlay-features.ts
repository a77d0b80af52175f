import type { OverlayContent, OverlayGeometry, OverlayProperties } from '#lib/api/overlay.ts';

/** simplestyle with the shape's defaults, and the position of its name. */
export interface DrawnProperties extends OverlayProperties {
  readonly shape: 'point' | 'line' | 'area';
}

const SHAPES: Readonly<Record<OverlayGeometry['type'], DrawnProperties['shape']>> = {
  Point: 'point',
  MultiPoint: 'point',
  LineString: 'line',
  MultiLineString: 'line',
  Polygon: 'area',
  MultiPolygon: 'area',
};

export function overlayFeatures(
  overlays: readonly OverlayContent[],
): GeoJSON.FeatureCollection<OverlayGeometry, DrawnProperties> {
  const features = overlays.toReversed().flatMap((overlay) =>
    overlay.features.map(({ type, geometry, properties }) => ({
      type,
      geometry,
      properties: { ...properties, shape: SHAPES[geometry.type] },
    })),
  );
  return { type: 'FeatureCollection', features };
}
