import type {
  ExpressionSpecification,
  GeoJSONSource,
  LayerSpecification,
  Map as MapLibreMap,
  StyleImageMetadata,
} from 'maplibre-gl';
import { useEffect } from 'react';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { recolourLayers } from '../basemap/basemap-style.ts';

/**
 * Features that MapLibre draws from GeoJSON: a source and its layers, below the marks or above them. They survive new
 * styles and lost graphics contexts, and are recoloured with the theme. Marks, labels, trails and vectors are too many
 * for this: they have layers of their own.
 */
export interface FeatureLayers {
  readonly source: string;
  /** The layers, bottom first. `below` lies under the marks, and hides no position; `above` is on top. */
  readonly layers: (theme: BasemapTheme) => {
    readonly below: readonly LayerSpecification[];
    readonly above?: readonly LayerSpecification[];
  };
  /** `below` lies also under the names of places. */
  readonly isUnderNames?: boolean;
  /** How far MapLibre may simplify shapes, in tile units. Default 0, since simplified circles are polygons. */
  readonly tolerance?: number;
  readonly images?: (theme: BasemapTheme) => readonly FeatureImage[];
}

interface FeatureImage {
  readonly id: string;
  readonly image: { readonly width: number; readonly height: number; readonly data: Uint8Array | Uint8ClampedArray };
  readonly options: Partial<StyleImageMetadata>;
}

/** The tokens of app/globals.css, since MapLibre reads no variables of CSS. The ground is the background or the surface. */
export const TOKENS = {
  dark: { bad: '#ff6369', dim: '#a3b3c2', focus: '#8cc8ff', ground: '#0b1118', text: '#e8eef4', warning: '#ffb224' },
  light: { bad: '#c62a2f', dim: '#475866', focus: '#0a66c2', ground: '#ffffff', text: '#101820', warning: '#a85f00' },
} as const satisfies Readonly<Record<BasemapTheme, object>>;

export const NO_FEATURES: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };

/**
 * The look of a shape that an operator draws or changes: its edge over a casing, and its ground where the shape is a polygon.
 * A polygon whose `kind` is `fill` has no edge of its own.
 */
export function drawnShapeLayers(source: string, theme: BasemapTheme): readonly LayerSpecification[] {
  const { focus: line, ground: casing } = TOKENS[theme];
  const isEdge: ExpressionSpecification = ['!=', ['get', 'kind'], 'fill'];
  return [
    {
      id: `${source}-fill`,
      type: 'fill',
      source,
      // A closed line would be filled too.
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'fill-color': line, 'fill-opacity': 0.12 },
    },
    {
      id: `${source}-casing`,
      type: 'line',
      source,
      filter: isEdge,
      paint: { 'line-color': casing, 'line-width': 4.5, 'line-opacity': 0.8 },
    },
    { id: `${source}-edge`, type: 'line', source, filter: isEdge, paint: { 'line-color': line, 'line-width': 2 } },
  ];
}

/** Adds source, layers and images if missing, otherwise recolours them. */
export function drawFeatures(
  map: MapLibreMap,
  theme: BasemapTheme,
  { source, layers, isUnderNames = false, tolerance = 0, images }: FeatureLayers,
  data: GeoJSON.GeoJSON,
): void {
  // A lost WebGL context drops images, but keeps source and layers.
  for (const { id, image, options } of images?.(theme) ?? []) {
    if (map.hasImage(id)) map.updateImage(id, image);
    else map.addImage(id, image, options);
  }
  const { below, above = [] } = layers(theme);
  const drawn = map.getSource<GeoJSONSource>(source);
  if (drawn) {
    drawn.setData(data);
    recolourLayers(map, [...below, ...above]);
    return;
  }
  map.addSource(source, { type: 'geojson', tolerance, data });
  const marks = map.getLayer('marks') && 'marks';
  const names = isUnderNames ? map.getStyle().layers.find(({ type }) => type === 'symbol')?.id : undefined;
  for (const layer of below) map.addLayer(layer, names ?? marks);
  for (const layer of above) map.addLayer(layer);
}

/** @param data `undefined`: nothing is added */
export function useFeatures(
  map: MapLibreMap | undefined,
  theme: BasemapTheme,
  own: FeatureLayers,
  data: GeoJSON.GeoJSON | undefined,
): void {
  useEffect(() => {
    if (!map) return;
    const draw = () => {
      // Without its graphics context a map has no style; adding to it would make an empty one.
      if (!map.style) return;
      if (data || map.getSource(own.source)) drawFeatures(map, theme, own, data ?? NO_FEATURES);
    };
    draw();
    // A new style, or one reloaded after a lost context, has none of our layers.
    map.on('style.load', draw);
    return () => {
      map.off('style.load', draw);
    };
  }, [map, theme, own, data]);
  useEffect(() => () => void map?.getSource<GeoJSONSource>(own.source)?.setData(NO_FEATURES), [map, own]);
}
