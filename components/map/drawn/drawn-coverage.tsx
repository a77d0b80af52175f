'use client';

import type { ExpressionSpecification, LayerSpecification, Map as MapLibreMap } from 'maplibre-gl';
import { useMemo } from 'react';
import type { CoverageAnswer, Look } from '#lib/api/overview.ts';
import { COVERAGE_COLOURS } from '#lib/client/overview/coverage-colours.ts';
import { type Covered, cellRates, shadeOf, stepOf, stepsOf } from '#lib/client/overview/coverage-rates.ts';
import { useMapCoverage } from '#lib/client/overview/use-map-coverage.ts';
import { boxRing } from '#lib/geo/bbox.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { hatchImage } from './feature-images.ts';
import { type FeatureLayers, useFeatures } from './feature-layers.ts';

export function DrawnCoverage({ map, theme }: { readonly map: MapLibreMap; readonly theme: BasemapTheme }) {
  const { choice, data } = useMapCoverage();
  const counted = choice?.counted;
  const features = useMemo(
    () => (counted !== undefined && data ? coverageFeatures(data, counted) : undefined),
    [counted, data],
  );
  useFeatures(map, theme, COVERAGE_LAYERS, features);
  return null;
}

interface CellProperties {
  readonly index: number;
  readonly look: Look;
  /** The step of its colour; -1 for a cell with receptions but without a rate. */
  readonly shade: number;
}

type CoverageFeatures = GeoJSON.FeatureCollection<GeoJSON.Polygon, CellProperties>;

/** The cells of a coverage, for the live map and the overview's picture (coverage-map.tsx). */
export function coverageFeatures({ cells, cell_deg }: CoverageAnswer, covered: Covered): CoverageFeatures {
  const rates = cellRates(cells, covered);
  const steps = stepsOf(rates, covered);
  const features = rates.flatMap(({ look, rate }, index): CoverageFeatures['features'] => {
    if (look === 'not_watched') return [];
    const [west, south] = [(cells.column[index] ?? 0) * cell_deg - 180, (cells.row[index] ?? 0) * cell_deg - 90];
    const [east, north] = [west + cell_deg, south + cell_deg];
    const shade = rate === undefined ? -1 : shadeOf(stepOf(steps, rate), steps);
    return [
      {
        type: 'Feature',
        properties: { index, look, shade },
        geometry: { type: 'Polygon', coordinates: [boxRing({ west, south, east, north })] },
      },
    ];
  });
  return { type: 'FeatureCollection', features };
}

const SOURCE = 'coverage';

const HATCH = 'coverage-hatch';

const HATCH_OPACITY = 0.2;

export const COVERAGE_CELLS = 'coverage-cells';

const hasLook = (value: string): ExpressionSpecification => ['==', ['get', 'look'], value];

/** Layers that lie under marks. */
export const COVERAGE_LAYERS = coverageLayers(0.55);

/** Layers of a map without marks. */
export const COVERAGE_PICTURE = coverageLayers(0.9);

/** Cells that were not watched are not drawn. */
function coverageLayers(opacity: number): FeatureLayers {
  return {
    source: SOURCE,
    isUnderNames: true,
    layers(theme) {
      const { steps, edge } = COVERAGE_COLOURS[theme];
      return {
        below: [
          // A layer for each step: a colour by feature would wait for a worker, and a print is drawn between two frames.
          ...steps.map(
            ({ fill }, shade): LayerSpecification => ({
              id: `coverage-received-${shade}`,
              type: 'fill',
              source: SOURCE,
              filter: ['all', hasLook('received'), ['==', ['get', 'shade'], shade]],
              paint: { 'fill-color': fill, 'fill-opacity': opacity, 'fill-antialias': false },
            }),
          ),
          {
            id: 'coverage-nothing',
            type: 'fill',
            source: SOURCE,
            filter: hasLook('nothing_received'),
            // Quiet: what was received is seen first.
            paint: { 'fill-pattern': HATCH, 'fill-opacity': HATCH_OPACITY },
          },
          {
            id: COVERAGE_CELLS,
            type: 'fill',
            source: SOURCE,
            // The page names the cell under the pointer by this index.
            paint: { 'fill-opacity': 0 },
          },
          {
            // Positions were received, between reads that are too far apart for a rate.
            id: 'coverage-no-rate',
            type: 'line',
            source: SOURCE,
            filter: ['all', hasLook('received'), ['<', ['get', 'shade'], 0]],
            paint: { 'line-color': edge, 'line-width': 1.5, 'line-dasharray': [2, 2] },
          },
        ],
      };
    },
    images: (theme) => [
      { id: HATCH, image: hatchImage(16, 2, COVERAGE_COLOURS[theme].hatch), options: { pixelRatio: 2 } },
    ],
  };
}
