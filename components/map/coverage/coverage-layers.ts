import type { ExpressionSpecification } from 'maplibre-gl';
import { COVERAGE_COLOURS } from '#lib/client/overview/coverage-colours.ts';
import { STEPS_MAX } from '#lib/client/overview/coverage-rates.ts';
import type { FeatureLayers } from '../feature-layers.ts';
import { hatchImage } from '../gaps/gap-layers.ts';

const SOURCE = 'coverage';
const HATCH = 'coverage-hatch';

const look = (value: string): ExpressionSpecification => ['==', ['get', 'look'], value];

/** Cells that were not watched are not drawn. */
export const COVERAGE_LAYERS: FeatureLayers = {
  source: SOURCE,
  layers(theme) {
    const { steps, edge } = COVERAGE_COLOURS[theme];
    const byStep = Array.from({ length: STEPS_MAX }, (_, step) => [step, steps[step] as string]).flat();
    return {
      below: [
        {
          id: 'coverage-received',
          type: 'fill',
          source: SOURCE,
          filter: ['all', look('received'), ['>=', ['get', 'step'], 0]],
          paint: {
            'fill-color': ['match', ['get', 'step'], ...byStep, steps[0]] as unknown as ExpressionSpecification,
            'fill-opacity': 0.6,
            'fill-antialias': false,
          },
        },
        {
          id: 'coverage-nothing',
          type: 'fill',
          source: SOURCE,
          filter: look('nothing_received'),
          paint: { 'fill-pattern': HATCH, 'fill-opacity': 0.55 },
        },
        {
          // Received between reads that are too far apart for a rate.
          id: 'coverage-no-rate',
          type: 'line',
          source: SOURCE,
          filter: ['all', look('received'), ['<', ['get', 'step'], 0]],
          paint: { 'line-color': edge, 'line-width': 1.5, 'line-dasharray': [2, 2] },
        },
      ],
    };
  },
  images: (theme) => [
    { id: HATCH, image: hatchImage(16, 2, COVERAGE_COLOURS[theme].hatch), options: { pixelRatio: 2 } },
  ],
};
