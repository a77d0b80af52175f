'use client';

import type { ExpressionSpecification, Map as MapLibreMap } from 'maplibre-gl';
import { useMemo } from 'react';
import type { Zone } from '#lib/api/watching/zones.ts';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { useZoneLooks } from '#lib/client/page/use-zone-looks.ts';
import { shapeOutline } from '#lib/zones/shape-outline.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { LABEL_FONT } from '../basemap/label-fonts.ts';
import { type FeatureLayers, TOKENS, useFeatures } from './feature-layers.ts';

/** Draws the zones with their names, lit while they have open alarms. A replay has the zones of its time. */
export function DrawnZones({ map, theme }: { readonly map: MapLibreMap; readonly theme: BasemapTheme }) {
  const { zones: desk } = useLookout();
  const changed = useValue(desk.draft)?.before?.id;
  const { zones, lookOf } = useZoneLooks();
  const features = useMemo(() => {
    // The draft of a changed zone is drawn instead (drawn-zone-draft.tsx).
    const shown = zones.filter(({ id }) => id !== changed);
    return shown.length > 0 ? zoneFeatures(shown, lookOf) : undefined;
  }, [zones, changed, lookOf]);
  useFeatures(map, theme, ZONE_LAYERS, features);
  return null;
}

interface DrawnZone {
  readonly part: 'ground' | 'name';
  /** Whether it has open alarms: none, only acknowledged ones, or one that waits. */
  readonly look: 'calm' | 'acknowledged' | 'lit';
  readonly isWatched: boolean;
  readonly label: string;
}

interface ZoneLook extends Pick<DrawnZone, 'look' | 'isWatched'> {
  /** A second line of its name; empty for none. */
  readonly note: string;
}

type Features<P> = GeoJSON.FeatureCollection<GeoJSON.Geometry, P>;

function zoneFeatures(
  zones: readonly Pick<Zone, 'id' | 'name' | 'shape'>[],
  lookOf: (id: string) => ZoneLook,
): Features<DrawnZone> {
  const features = zones.flatMap(({ id, name, shape }): Features<DrawnZone>['features'] => {
    const { look, isWatched, note } = lookOf(id);
    const drawn = { look, isWatched, label: note === '' ? name : `${name}\n${note}` };
    const coordinates = outlineOf(shape);
    const [north] = coordinates.flat(2).sort(([, a], [, b]) => b - a);
    return [
      { type: 'Feature', properties: { ...drawn, part: 'ground' }, geometry: { type: 'MultiPolygon', coordinates } },
      ...(north
        ? [
            {
              type: 'Feature' as const,
              properties: { ...drawn, part: 'name' as const },
              geometry: { type: 'Point' as const, coordinates: north },
            },
          ]
        : []),
    ];
  });
  return { type: 'FeatureCollection', features };
}

/** Outlines are computed once, since each alarm draws all zones again. */
const outlines = new WeakMap<ZoneShape, [number, number][][][]>();

export function outlineOf(shape: ZoneShape): [number, number][][][] {
  const known = outlines.get(shape);
  if (known) return known;
  const outline = shapeOutline(shape);
  outlines.set(shape, outline);
  return outline;
}

const SOURCE = 'zones';

const byLook = (
  calm: number | string,
  acknowledged: number | string,
  lit: number | string,
): ExpressionSpecification => [
  'match',
  ['get', 'look'] satisfies ['get', keyof DrawnZone],
  'lit',
  lit,
  'acknowledged',
  acknowledged,
  calm,
];

const isOf = (part: DrawnZone['part']): ExpressionSpecification => ['==', ['get', 'part'], part];

const isWatched: ExpressionSpecification = ['get', 'isWatched'];

const ZONE_LAYERS: FeatureLayers = {
  source: SOURCE,
  tolerance: 0.2,
  layers(theme) {
    const { dim: calm, bad: lit, ground: casing, text } = TOKENS[theme];
    const colour = byLook(calm, lit, lit);
    return {
      below: [
        {
          id: 'zone-fill',
          type: 'fill',
          source: SOURCE,
          filter: isOf('ground'),
          paint: { 'fill-color': colour, 'fill-opacity': byLook(0.05, 0.07, 0.2), 'fill-antialias': false },
        },
        {
          id: 'zone-casing',
          type: 'line',
          source: SOURCE,
          filter: isOf('ground'),
          layout: { 'line-join': 'round' },
          paint: { 'line-color': casing, 'line-width': byLook(3, 4, 5.5), 'line-opacity': 0.6 },
        },
        {
          id: 'zone-edge',
          type: 'line',
          source: SOURCE,
          filter: ['all', isOf('ground'), isWatched],
          layout: { 'line-join': 'round' },
          paint: { 'line-color': colour, 'line-width': byLook(1.25, 1.75, 3) },
        },
        {
          id: 'zone-edge-unwatched',
          type: 'line',
          source: SOURCE,
          filter: ['all', isOf('ground'), ['!', isWatched]],
          layout: { 'line-join': 'round' },
          paint: { 'line-color': colour, 'line-width': byLook(1.25, 1.75, 3), 'line-dasharray': [3, 2.5] },
        },
        {
          id: 'zone-name',
          type: 'symbol',
          source: SOURCE,
          filter: isOf('name'),
          layout: {
            'text-field': ['get', 'label'],
            'text-font': [LABEL_FONT],
            'text-size': byLook(11, 11, 12.5),
            'text-max-width': 14,
            'text-variable-anchor': ['bottom', 'top'],
            'text-radial-offset': 0.4,
            'text-padding': 3,
            'symbol-sort-key': byLook(2, 1, 0),
          },
          paint: { 'text-color': byLook(calm, text, text), 'text-halo-color': casing, 'text-halo-width': 1.75 },
        },
      ],
    };
  },
};
