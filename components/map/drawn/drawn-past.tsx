'use client';

import type { ExpressionSpecification, Map as MapLibreMap } from 'maplibre-gl';
import { useMemo, useState } from 'react';
import { useLookout, useReplay, useValue } from '#lib/client/page/lookout-context.tsx';
import type { ReplayGap, ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import { type Bbox, bboxCovers, eastPastWest, formatBbox, lonSpanDeg } from '#lib/geo/bbox.ts';
import { boxRing } from '#lib/geo/box-ring.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { LABEL_FONT } from '../basemap/label-fonts.ts';
import { type TrailOptions, useReplayTrails } from '../trails/use-replay-trails.ts';
import { hatchImage } from './feature-images.ts';
import { type FeatureLayers, TOKENS, useFeatures } from './feature-layers.ts';

/**
 * The trails of a replay, and its gaps, where received positions may be missing. A gap is
 * hatched and labelled from its start until positions received at its end would have expired.
 */
export function DrawnPast({ map, ...options }: TrailOptions & { readonly map: MapLibreMap }) {
  useDrawnGaps(map, options.theme);
  useReplayTrails(map, options);
  return null;
}

function useDrawnGaps(map: MapLibreMap | undefined, theme: BasemapTheme): void {
  const [gapsAtCursor] = useState(makeGapsAtCursor);
  const gaps = useReplay(gapsAtCursor);
  const area = useReplay((summary) => summary?.area);
  const { visible } = useValue(useLookout().mapView);
  const features = useMemo((): GeoJSON.FeatureCollection | undefined => {
    if (gaps.length === 0) return undefined;
    // A gap over the whole area needs only a label.
    const boxes = gapBoxes(gaps.filter(({ gap }) => !(area && bboxCovers(gap.bbox, area))));
    const labels = visible ? gapLabels(gaps, visible).features : [];
    return { type: 'FeatureCollection', features: [...boxes.features, ...labels] };
  }, [gaps, area, visible]);
  useFeatures(map, theme, GAP_LAYERS, features);
}

function makeGapsAtCursor(): (summary: ReplaySummary | undefined) => readonly LayerGap[] {
  let known: readonly LayerGap[] = [];
  return (summary) => {
    const gaps = summary ? gapsAt(summary, summary.playback.cursor) : [];
    if (gaps.length !== known.length || gaps.some(({ gap }, index) => gap !== known[index]?.gap)) known = gaps;
    return known;
  };
}

export interface LayerGap {
  readonly layer: Layer;
  readonly gap: ReplayGap;
}

/** @returns the gaps that matter at the cursor */
export function gapsAt(summary: Pick<ReplaySummary, 'layers'>, cursor: UpstreamInstant): readonly LayerGap[] {
  return LAYERS.flatMap((layer) => {
    const { on, gaps, shownForMs } = summary.layers[layer];
    const matters = ({ start, end }: ReplayGap) => on && start <= cursor && cursor < addMs(end, shownForMs);
    return gaps.filter(matters).map((gap) => ({ layer, gap }));
  });
}

export function gapBoxes(gaps: readonly LayerGap[]): GeoJSON.FeatureCollection<GeoJSON.Polygon> {
  const places = new Map<string, Bbox>(gaps.map(({ gap }) => [formatBbox(gap.bbox), gap.bbox]));
  return {
    type: 'FeatureCollection',
    features: Array.from(places.values(), (bbox) => ({
      type: 'Feature',
      geometry: { type: 'Polygon', coordinates: [boxRing(bbox)] },
      properties: {},
    })),
  };
}

interface GapLabelProperties {
  readonly text: string;
}

const TEXT = {
  adsb: 'Aircraft incomplete',
  rid: 'Drones incomplete',
  both: 'Aircraft and drones incomplete',
} as const;

export function gapLabels(
  gaps: readonly LayerGap[],
  visible: Bbox,
): GeoJSON.FeatureCollection<GeoJSON.Point, GapLabelProperties> {
  const corners = new Map<string, { at: GeoJSON.Position; layers: Set<Layer> }>();
  for (const { layer, gap } of gaps) {
    const at = visibleCorner(gap.bbox, visible);
    if (!at) continue;
    const corner = corners.get(at.join()) ?? { at, layers: new Set() };
    corner.layers.add(layer);
    corners.set(at.join(), corner);
  }
  return {
    type: 'FeatureCollection',
    features: Array.from(corners.values(), ({ at, layers }) => {
      const [first] = layers;
      return {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: at },
        properties: { text: TEXT[layers.size === 2 || !first ? 'both' : first] },
      };
    }),
  };
}

/** The north-eastern corner of the intersection; `undefined` if it is empty. */
function visibleCorner(bbox: Bbox, visible: Bbox): GeoJSON.Position | undefined {
  const north = Math.min(bbox.north, visible.north);
  if (north <= Math.max(bbox.south, visible.south)) return undefined;
  const visibleEast = eastPastWest(visible);
  for (const offsetDeg of [-360, 0, 360]) {
    const west = bbox.west + offsetDeg;
    const east = Math.min(west + lonSpanDeg(bbox), visibleEast);
    if (east > Math.max(west, visible.west)) return [east, north];
  }
  return undefined;
}

const SOURCE = 'gaps';

const HATCH = 'gap-hatch';

const HATCH_IMAGE_PX = 32;

const HATCH_STRIPE_PX = 3;

/** Image pixels per CSS pixel. */
const HATCH_PIXEL_RATIO = 2;

const IS_BOX: ExpressionSpecification = ['==', ['geometry-type'], 'Polygon'];

/** The token `warning` as red, green and blue. */
const HATCH_RGB = {
  dark: [255, 178, 36],
  light: [168, 95, 0],
} as const;

/** Boxes are below the marks, labels on top. */
const GAP_LAYERS: FeatureLayers = {
  source: SOURCE,
  layers(theme) {
    const { warning: amber, ground: halo } = TOKENS[theme];
    return {
      below: [
        {
          id: HATCH,
          type: 'fill',
          source: SOURCE,
          filter: IS_BOX,
          paint: { 'fill-pattern': HATCH, 'fill-opacity': 0.35 },
        },
        {
          id: 'gap-edge',
          type: 'line',
          source: SOURCE,
          filter: IS_BOX,
          paint: { 'line-color': amber, 'line-width': 1.5, 'line-dasharray': [4, 2] },
        },
      ],
      above: [
        {
          id: 'gap-labels',
          type: 'symbol',
          source: SOURCE,
          filter: ['!', IS_BOX],
          layout: {
            'text-field': ['get', 'text'],
            'text-font': [LABEL_FONT],
            'text-size': 12,
            'text-anchor': 'top-right',
            'text-offset': [-0.6, 0.5],
            'text-max-width': 40,
            // These labels are drawn over all others.
            'text-allow-overlap': true,
          },
          paint: { 'text-color': amber, 'text-halo-color': halo, 'text-halo-width': 2 },
        },
      ],
    };
  },
  images: (theme) => [
    {
      id: HATCH,
      image: hatchImage(HATCH_IMAGE_PX, HATCH_STRIPE_PX, HATCH_RGB[theme]),
      options: { pixelRatio: HATCH_PIXEL_RATIO },
    },
  ],
};
