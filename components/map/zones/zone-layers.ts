import type { ExpressionSpecification } from 'maplibre-gl';
import { LABEL_FONT } from '../basemap/label-fonts.ts';
import type { FeatureLayers } from '../feature-layers.ts';
import type { DrawnZone } from './zone-features.ts';

const SOURCE = 'zones';

/** Tokens of app/globals.css: dim, bad, warning, focus, and background or surface. */
const colours = {
  dark: { calm: '#a3b3c2', lit: '#ff6369', draft: '#8cc8ff', casing: '#0b1118', text: '#e8eef4' },
  light: { calm: '#475866', lit: '#c62a2f', draft: '#0a66c2', casing: '#ffffff', text: '#101820' },
} as const;

const look = (calm: number | string, acknowledged: number | string, lit: number | string): ExpressionSpecification => [
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

export const ZONE_LAYERS: FeatureLayers = {
  source: SOURCE,
  tolerance: 0.2,
  layers(theme) {
    const { calm, lit, casing, text } = colours[theme];
    const colour = look(calm, lit, lit);
    return {
      below: [
        {
          id: 'zone-fill',
          type: 'fill',
          source: SOURCE,
          filter: isOf('ground'),
          paint: { 'fill-color': colour, 'fill-opacity': look(0.05, 0.07, 0.2), 'fill-antialias': false },
        },
        {
          id: 'zone-casing',
          type: 'line',
          source: SOURCE,
          filter: isOf('ground'),
          layout: { 'line-join': 'round' },
          paint: { 'line-color': casing, 'line-width': look(3, 4, 5.5), 'line-opacity': 0.6 },
        },
        {
          id: 'zone-edge',
          type: 'line',
          source: SOURCE,
          filter: ['all', isOf('ground'), isWatched],
          layout: { 'line-join': 'round' },
          paint: { 'line-color': colour, 'line-width': look(1.25, 1.75, 3) },
        },
        {
          id: 'zone-edge-unwatched',
          type: 'line',
          source: SOURCE,
          filter: ['all', isOf('ground'), ['!', isWatched]],
          layout: { 'line-join': 'round' },
          paint: { 'line-color': colour, 'line-width': look(1.25, 1.75, 3), 'line-dasharray': [3, 2.5] },
        },
        {
          id: 'zone-name',
          type: 'symbol',
          source: SOURCE,
          filter: isOf('name'),
          layout: {
            'text-field': ['get', 'label'],
            'text-font': [LABEL_FONT],
            'text-size': look(11, 11, 12.5),
            'text-max-width': 14,
            'text-variable-anchor': ['bottom', 'top'],
            'text-radial-offset': 0.4,
            'text-padding': 3,
            'symbol-sort-key': look(2, 1, 0),
          },
          paint: { 'text-color': look(calm, text, text), 'text-halo-color': casing, 'text-halo-width': 1.75 },
        },
      ],
    };
  },
};

/** Also for shapes of an import. */
export const DRAFT_LAYERS: FeatureLayers = {
  source: 'zone-draft',
  layers(theme) {
    const { draft, casing } = colours[theme];
    const source = 'zone-draft';
    return {
      below: [
        { id: 'zone-draft-fill', type: 'fill', source, paint: { 'fill-color': draft, 'fill-opacity': 0.12 } },
        {
          id: 'zone-draft-casing',
          type: 'line',
          source,
          paint: { 'line-color': casing, 'line-width': 4.5, 'line-opacity': 0.8 },
        },
        { id: 'zone-draft-edge', type: 'line', source, paint: { 'line-color': draft, 'line-width': 2 } },
      ],
    };
  },
};
