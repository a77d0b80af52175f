import type { ExpressionSpecification } from 'maplibre-gl';
import { COVERAGE_COLOURS } from '#lib/client/overview/coverage-colours.ts';
import type { FeatureLayers } from '../feature-layers.ts';
import { hatchImage } from '../gaps/gap-layers.ts';

const SOURCE = 'coverage';
const HATCH = 'coverage-hatch';

export const COVERAGE_CELLS = 'coverage-cells';

const look = (value: string): ExpressionSpecification => ['==', ['get', 'look'], value];

/** Under marks. */
export const COVERAGE_LAYERS = coverageLayers(0.55);
/** Without marks. */
export const COVERAGE_PICTURE = coverageLayers(0.8);

/** Cells that were not watched are not drawn. */
function coverageLayers(opacity: number): FeatureLayers {
  return {
    source: SOURCE,
    isUnderNames: true,
    layers(theme) {
      const { steps, edge } = COVERAGE_COLOURS[theme];
      const [{ fill: lowest }, ...higher] = steps;
      const byShade = higher.flatMap(({ fill }, index) => [index + 1, fill]);
      return {
        below: [
          {
            id: 'coverage-received',
            type: 'fill',
            source: SOURCE,
            filter: ['all', look('received'), ['>=', ['get', 'shade'], 0]],
            paint: {
              'fill-color': ['match', ['get', 'shade'], ...byShade, lowest] as unknown as ExpressionSpecification,
              'fill-opacity': opacity,
              'fill-antialias': false,
            },
          },
          {
            id: 'coverage-nothing',
            type: 'fill',
            source: SOURCE,
            filter: look('nothing_received'),
            paint: { 'fill-pattern': HATCH, 'fill-opacity': opacity - 0.25 },
          },
          {
            id: COVERAGE_CELLS,
            type: 'fill',
            source: SOURCE,
            // For what is under the pointer.
            paint: { 'fill-opacity': 0 },
          },
          {
            // Received between reads that are too far apart for a rate.
            id: 'coverage-no-rate',
            type: 'line',
            source: SOURCE,
            filter: ['all', look('received'), ['<', ['get', 'shade'], 0]],
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
