'use client';

import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import type { ExpressionSpecification, LayerSpecification, Map as MapLibreMap } from 'maplibre-gl';
import { useMemo } from 'react';
import type { OverlayContent, OverlayGeometry, OverlayProperties } from '#lib/api/overlay.ts';
import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import { overlayQuery, overlaysQuery } from '#lib/client/views/views-query.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { LABEL_FONT } from '../basemap/label-fonts.ts';
import { distanceImage } from './feature-images.ts';
import { type FeatureLayers, useFeatures } from './feature-layers.ts';

interface DrawnOverlaysProps {
  readonly map: MapLibreMap;
  readonly theme: BasemapTheme;
}

/** Draws the overlays that an operator has not hidden, in the colours of their files (simplestyle). */
export function DrawnOverlays({ map, theme }: DrawnOverlaysProps) {
  const [{ hiddenOverlays }] = usePreferences();
  const { data } = useQuery(overlaysQuery());
  const shown = data?.overlays.filter(({ id }) => !hiddenOverlays.includes(id)) ?? [];
  const contents = useQueries({
    queries: shown.map(({ id }) => overlayQuery(id)),
    combine: contentsOf,
  });
  const features = useMemo(() => (contents.length > 0 ? overlayFeatures(contents) : undefined), [contents]);
  useFeatures(map, theme, OVERLAY_LAYERS, features);
  return null;
}

/** All renderings share one function, so that its result is computed only for new answers. */
function contentsOf(results: readonly UseQueryResult<OverlayContent>[]): OverlayContent[] {
  return results.flatMap(({ data }) => data ?? []);
}

/** The simplestyle of a feature, and its shape, on which the place of its name depends. */
interface DrawnProperties extends OverlayProperties {
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

function overlayFeatures(
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

const SOURCE = 'own-overlays';

const PIN = 'own-overlay-pin';

/** Points of overlays are diamonds, since no mark is one. */
const PIN_IMAGE = distanceImage(32, 32, (x, y) => (Math.abs(x) + Math.abs(y) - 10) / Math.SQRT2);

/** A grey that no mark has; `casing` separates any colour from the ground. */
const colours = {
  dark: { shape: '#c3ced8', casing: '#0b1118' },
  light: { shape: '#475866', casing: '#ffffff' },
} as const;

const ofShape = (...shapes: DrawnProperties['shape'][]): ExpressionSpecification => [
  'in',
  ['get', 'shape'],
  ['literal', shapes],
];

const own = (property: keyof DrawnProperties, otherwise: string | number | ExpressionSpecification) =>
  ['coalesce', ['get', property], otherwise] as ExpressionSpecification;

/** The defaults are those of simplestyle 1.1.0, except the colours. */
function overlayLayers(theme: BasemapTheme): LayerSpecification[] {
  const { shape, casing } = colours[theme];
  const width = own('stroke-width', 2);
  const label = {
    'text-field': own('name', ''),
    'text-font': [LABEL_FONT],
    'text-size': 11,
    'text-max-width': 12,
    'text-padding': 4,
  };
  // A file's colours may not be readable on this theme's ground.
  const text = { 'text-color': shape, 'text-halo-color': casing, 'text-halo-width': 1.5 };
  return [
    {
      id: 'own-overlay-fill',
      type: 'fill',
      source: SOURCE,
      filter: ofShape('area'),
      paint: { 'fill-color': own('fill', own('stroke', shape)), 'fill-opacity': own('fill-opacity', 0.15) },
    },
    {
      id: 'own-overlay-casing',
      type: 'line',
      source: SOURCE,
      filter: ['all', ofShape('line', 'area'), ['>', width, 0]],
      layout: { 'line-join': 'round', 'line-cap': 'round' },
      paint: {
        'line-color': casing,
        'line-width': ['+', 2, width],
        'line-opacity': ['*', 0.6, own('stroke-opacity', 1)],
      },
    },
    {
      id: 'own-overlay-line',
      type: 'line',
      source: SOURCE,
      filter: ofShape('line', 'area'),
      layout: { 'line-join': 'round', 'line-cap': 'round' },
      paint: { 'line-color': own('stroke', shape), 'line-width': width, 'line-opacity': own('stroke-opacity', 1) },
    },
    {
      id: 'own-overlay-line-name',
      type: 'symbol',
      source: SOURCE,
      filter: ofShape('line'),
      layout: { ...label, 'symbol-placement': 'line-center', 'text-offset': [0, -0.8] },
      paint: text,
    },
    {
      id: 'own-overlay-area-name',
      type: 'symbol',
      source: SOURCE,
      filter: ofShape('area'),
      layout: label,
      paint: text,
    },
    {
      id: 'own-overlay-point',
      type: 'symbol',
      source: SOURCE,
      filter: ofShape('point'),
      layout: {
        ...label,
        'icon-image': PIN,
        'icon-allow-overlap': true,
        'icon-ignore-placement': true,
        'text-optional': true,
        'text-variable-anchor': ['left', 'right', 'top', 'bottom'],
        'text-radial-offset': 0.8,
        'text-justify': 'auto',
      },
      paint: { ...text, 'icon-color': own('marker-color', shape), 'icon-halo-color': casing, 'icon-halo-width': 1 },
    },
  ];
}

const OVERLAY_LAYERS: FeatureLayers = {
  source: SOURCE,
  // Shapes are simplified, since operators' files may be of any size.
  tolerance: 0.375,
  layers: (theme) => ({ below: overlayLayers(theme) }),
  images: () => [{ id: PIN, image: PIN_IMAGE, options: { sdf: true, pixelRatio: 2 } }],
};
