import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl';
import { AIRPORT_KINDS, AIRPORT_LAYER, AIRPORT_MIN_ZOOM, type AirportKind } from './airport-tileset.ts';
import type { BasemapPalette } from './basemap-palette.ts';
import { LABEL_FONT } from './label-fonts.ts';

export const AIRPORTS_SOURCE = 'airports';

export const RUNWAY = 'runway';
export const AIRPORT_MARK = 'airport-mark';
export const AIRPORT_LABEL = 'airport-label';

const LINE_PX = 1.2;

/** At this zoom and closer, a runway shows the airport better than a mark. */
const RUNWAY_SEEN_ZOOM = 12;

const NAMES_ZOOM: Readonly<Record<AirportKind, number>> = {
  large: 7.5,
  medium: 9.5,
  small: 11,
  seaplane_base: 11,
  heliport: 12,
  balloonport: 11,
};

export function runwayLayer(palette: BasemapPalette): LayerSpecification {
  return {
    id: RUNWAY,
    type: 'line',
    source: AIRPORTS_SOURCE,
    'source-layer': AIRPORT_LAYER.runways,
    // Butt ends keep the line as long as the runway.
    layout: { 'line-cap': 'butt' },
    paint: { 'line-color': palette.runway, 'line-width': runwayWidth() },
  };
}

/** These layers are above the places, so that airports' names win. */
export function airportLabelLayers(palette: BasemapPalette): LayerSpecification[] {
  // Names lie over runways, which are nearly as bright.
  const halo = { 'text-halo-color': palette.land, 'text-halo-width': 2 };
  return [
    {
      id: AIRPORT_MARK,
      type: 'symbol',
      source: AIRPORTS_SOURCE,
      'source-layer': AIRPORT_LAYER.airports,
      filter: ['all', isShown, ['!=', ['get', 'kind'], 'heliport']],
      layout: {
        // A ring would look like an expired track.
        'text-field': '+',
        'text-font': [LABEL_FONT],
        'text-size': ['match', ['get', 'kind'], 'large', 16, 14],
        'text-allow-overlap': true,
        'text-ignore-placement': true,
        'text-padding': 0,
      },
      paint: { 'text-color': palette.airport, 'text-opacity': fadedByRunways(), ...halo },
    },
    {
      id: 'heliport-mark',
      type: 'symbol',
      source: AIRPORTS_SOURCE,
      'source-layer': AIRPORT_LAYER.airports,
      filter: ['all', isShown, ['==', ['get', 'kind'], 'heliport']],
      layout: {
        'text-field': 'H',
        'text-font': [LABEL_FONT],
        'text-size': 10,
        'text-allow-overlap': true,
        'text-padding': 0,
      },
      paint: { 'text-color': palette.airport, ...halo },
    },
    {
      id: 'runway-end',
      type: 'symbol',
      source: AIRPORTS_SOURCE,
      'source-layer': AIRPORT_LAYER.runwayEnds,
      minzoom: 12.5,
      layout: {
        'text-field': ['get', 'ident'],
        'text-font': [LABEL_FONT],
        'text-size': 10,
        'text-anchor': ['get', 'anchor'] as ExpressionSpecification,
        'text-padding': 1,
      },
      paint: { 'text-color': palette.airport, ...halo },
    },
    {
      id: AIRPORT_LABEL,
      type: 'symbol',
      source: AIRPORTS_SOURCE,
      'source-layer': AIRPORT_LAYER.airports,
      filter: airportLabelFilter(),
      layout: {
        'text-field': labelText(),
        'text-font': [LABEL_FONT],
        'text-size': 10,
        'text-variable-anchor': ['top', 'bottom', 'left', 'right'],
        'text-radial-offset': 0.6,
        'text-justify': 'auto',
        'text-max-width': 12,
        'text-padding': 4,
        'symbol-sort-key': byKind(AIRPORT_RANK),
      },
      paint: { 'text-color': palette.airport, ...halo },
    },
  ];
}

/** @param unnamed the name of an airport that something else names */
export function airportLabelFilter(unnamed?: string): ExpressionSpecification {
  return unnamed === undefined ? isShown : ['all', isShown, ['!=', ['get', 'name'], unnamed]];
}

const AIRPORT_RANK = Object.fromEntries(AIRPORT_KINDS.map((kind, rank) => [kind, rank])) as Readonly<
  Record<AirportKind, number>
>;

/** The last zoom's tiles contain airports that appear later. */
const isShown: ExpressionSpecification = ['<=', byKind(AIRPORT_MIN_ZOOM), ['zoom']];

function byKind(values: Readonly<Record<AirportKind, number>>): ExpressionSpecification {
  const pairs = AIRPORT_KINDS.flatMap((kind) => [kind, values[kind]]);
  return ['match', ['get', 'kind'], ...pairs, 99] as unknown as ExpressionSpecification;
}

function labelText(): ExpressionSpecification {
  const steps = [...new Set(Object.values(NAMES_ZOOM))].sort((a, b) => a - b);
  const named = [
    'format',
    ['get', 'codes'],
    { 'font-scale': 1 },
    ['case', ['==', ['get', 'codes'], ''], '', '\n'],
    {},
    ['get', 'name'],
    { 'font-scale': 0.95 },
  ];
  const from = (zoom: number) => ['case', ['<=', byKind(NAMES_ZOOM), zoom], named, ['format', ['get', 'codes'], {}]];
  return [
    'step',
    ['zoom'],
    from(0),
    ...steps.flatMap((zoom) => [zoom, from(zoom)]),
  ] as unknown as ExpressionSpecification;
}

function fadedByRunways(): ExpressionSpecification {
  return [
    'interpolate',
    ['linear'],
    ['zoom'],
    RUNWAY_SEEN_ZOOM - 1,
    1,
    RUNWAY_SEEN_ZOOM,
    ['case', ['has', 'runways'], 0, 1],
  ];
}

/** One stop per zoom: between stops a width in metres scales as the map does. */
function runwayWidth(): ExpressionSpecification {
  const stops = Array.from({ length: 11 }, (_, index) => index + 8).flatMap((zoom) => [
    zoom,
    ['max', LINE_PX, ['*', ['get', 'width_px_z18'], 2 ** (zoom - 18)]],
  ]);
  return ['interpolate', ['exponential', 2], ['zoom'], ...stops] as unknown as ExpressionSpecification;
}
