import type { ExpressionSpecification } from 'maplibre-gl';
import { LABEL_FONT } from '../basemap/label-fonts.ts';
import type { FeatureLayers } from '../feature-layers.ts';
import type { MeasuringProperties } from './measuring-features.ts';

const SOURCE = 'measuring';

const colours = {
  dark: { line: '#8cc8ff', casing: '#0b1118' },
  light: { line: '#0a66c2', casing: '#ffffff' },
} as const;

const ofKind = (...kinds: MeasuringProperties['kind'][]): ExpressionSpecification => [
  'in',
  ['get', 'kind'],
  ['literal', kinds],
];
const WIDTH: ExpressionSpecification = ['match', ['get', 'kind'], 'leg', 2, 1.25];
const ROUND = { 'line-cap': 'round', 'line-join': 'round' } as const;

export const MEASURING_LAYERS: FeatureLayers = {
  source: SOURCE,
  layers(theme) {
    const { line, casing } = colours[theme];
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
