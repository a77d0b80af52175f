'use client';

import type { ExpressionSpecification, Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useMemo } from 'react';
import { type MeasuringReading, NOTHING_READ, type PlacedAnchor } from '#lib/client/measuring/measuring.ts';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { circlePoints, greatCirclePoints, mapLines } from '#lib/geo/geodesic-lines.ts';
import { destination, type LonLat } from '#lib/geo/great-circle.ts';
import { MERCATOR_MAX_LAT_DEG } from '#lib/geo/mercator.ts';
import { bearingText, DISTANCE_UNIT, distanceText, metresOf } from '#lib/model/measure-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { LABEL_FONT } from '../basemap/label-fonts.ts';
import { type FeatureLayers, TOKENS, useFeatures } from './feature-layers.ts';

interface DrawnMeasuringProps {
  readonly map: MapLibreMap;
  readonly theme: BasemapTheme;
}

/** Draws measured legs with their distances and bearings, and range rings. Lines are dotted where a track has expired. */
export function DrawnMeasuring({ map, theme }: DrawnMeasuringProps) {
  const { measuring } = useLookout();
  const [{ units, ringRadii }] = usePreferences();
  const { tool } = useValue(measuring.state);
  const radii = ringRadii[units];

  const reading = useValue(measuring.reading);
  const features = useMemo(
    () => (reading === NOTHING_READ ? undefined : measuringFeatures(reading, units, radii)),
    [reading, units, radii],
  );
  useFeatures(map, theme, MEASURING_LAYERS, features);

  useEffect(() => {
    if (tool === undefined) return;
    // Two quick clicks are two points.
    map.doubleClickZoom.disable();
    return () => {
      map.doubleClickZoom.enable();
    };
  }, [map, tool]);

  return null;
}

export interface MeasuringProperties {
  readonly kind: 'leg' | 'ring' | 'point' | 'leg-label' | 'ring-label' | 'point-label';
  readonly text: string;
  readonly old: boolean;
}

type MeasuringFeature = GeoJSON.Feature<GeoJSON.MultiLineString | GeoJSON.Point, MeasuringProperties>;

export function measuringFeatures(
  { points, legs, ringCentres }: MeasuringReading,
  units: UnitSystem,
  radii: readonly number[],
): GeoJSON.FeatureCollection<GeoJSON.MultiLineString | GeoJSON.Point, MeasuringProperties> {
  const features: MeasuringFeature[] = [];
  for (const centre of ringCentres) addRings(features, centre, units, radii);
  for (const [index, { distanceM, bearingDeg }] of legs.entries()) {
    const [from, to] = [points[index], points[index + 1]];
    if (!from?.at || !to?.at || distanceM === undefined) continue;
    const way = greatCirclePoints(from.at, to.at);
    const old = isOld(from) || isOld(to);
    features.push(lines(way, { kind: 'leg', text: '', old }));
    if (bearingDeg === undefined) continue;
    const middle = way.length > 2 ? way[Math.floor(way.length / 2)] : destination(from.at, bearingDeg, distanceM / 2);
    const text = `${distanceText(units, distanceM)}\n${bearingText(bearingDeg)}`;
    if (middle) features.push(point(middle, { kind: 'leg-label', text, old }));
  }
  for (const [index, anchor] of points.entries()) {
    if (!anchor.at) continue;
    // A track's mark shows the point.
    if (anchor.ref === undefined) features.push(point(anchor.at, { kind: 'point', text: '', old: false }));
    features.push(point(anchor.at, { kind: 'point-label', text: String(index + 1), old: isOld(anchor) }));
  }
  return { type: 'FeatureCollection', features };
}

function addRings(
  features: MeasuringFeature[],
  centre: PlacedAnchor,
  units: UnitSystem,
  radii: readonly number[],
): void {
  if (!centre.at) return;
  const old = isOld(centre);
  if (centre.ref === undefined) features.push(point(centre.at, { kind: 'point', text: '', old }));
  for (const radius of radii) {
    const radiusM = metresOf(units, radius);
    features.push(lines(circlePoints(centre.at, radiusM), { kind: 'ring', text: '', old }));
    // The label is at the ring's foot if its top is off the map or beyond the pole.
    const top = destination(centre.at, 0, radiusM);
    const label =
      top.lat > MERCATOR_MAX_LAT_DEG - 1 || top.lat < centre.at.lat ? destination(centre.at, 180, radiusM) : top;
    features.push(point(label, { kind: 'ring-label', text: `${radius} ${DISTANCE_UNIT[units]}`, old }));
  }
}

function isOld({ status }: PlacedAnchor): boolean {
  return status === 'expired' || status === 'ended';
}

function lines(points: readonly LonLat[], properties: MeasuringProperties): MeasuringFeature {
  return { type: 'Feature', properties, geometry: { type: 'MultiLineString', coordinates: mapLines(points) } };
}

function point({ lon, lat }: LonLat, properties: MeasuringProperties): MeasuringFeature {
  return { type: 'Feature', properties, geometry: { type: 'Point', coordinates: [lon, lat] } };
}

const SOURCE = 'measuring';

const ofKind = (...kinds: MeasuringProperties['kind'][]): ExpressionSpecification => [
  'in',
  ['get', 'kind'],
  ['literal', kinds],
];

const WIDTH: ExpressionSpecification = ['match', ['get', 'kind'], 'leg', 2, 1.25];

const ROUND = { 'line-cap': 'round', 'line-join': 'round' } as const;

const MEASURING_LAYERS: FeatureLayers = {
  source: SOURCE,
  layers(theme) {
    const { focus: line, ground: casing } = TOKENS[theme];
    return {
      below: [
        {
          id: 'measuring-casing',
          type: 'line',
          source: SOURCE,
          filter: ofKind('leg', 'ring'),
          layout: ROUND,
          paint: { 'line-color': casing, 'line-width': ['+', 2.5, WIDTH], 'line-opacity': 0.8 },
        },
        {
          id: 'measuring-lines',
          type: 'line',
          source: SOURCE,
          filter: ['all', ofKind('leg', 'ring'), ['!', ['get', 'old']]],
          layout: ROUND,
          paint: { 'line-color': line, 'line-width': WIDTH },
        },
        {
          id: 'measuring-old-lines',
          type: 'line',
          source: SOURCE,
          filter: ['all', ofKind('leg', 'ring'), ['get', 'old']],
          paint: { 'line-color': line, 'line-width': WIDTH, 'line-dasharray': [1.5, 2.5] },
        },
        {
          id: 'measuring-points',
          type: 'circle',
          source: SOURCE,
          filter: ofKind('point'),
          paint: {
            'circle-radius': 4,
            'circle-color': line,
            'circle-stroke-color': casing,
            'circle-stroke-width': 1.5,
          },
        },
      ],
      above: [
        {
          id: 'measuring-labels',
          type: 'symbol',
          source: SOURCE,
          filter: ofKind('leg-label', 'ring-label', 'point-label'),
          layout: {
            'text-field': ['get', 'text'],
            'text-font': [LABEL_FONT],
            'text-size': 11,
            'text-line-height': 1.25,
            'text-anchor': ['match', ['get', 'kind'], 'point-label', 'bottom-right', 'center'],
            'text-offset': ['match', ['get', 'kind'], 'point-label', ['literal', [-0.7, -0.5]], ['literal', [0, 0]]],
            'text-allow-overlap': true,
          },
          paint: { 'text-color': line, 'text-halo-color': casing, 'text-halo-width': 2 },
        },
      ],
    };
  },
};
