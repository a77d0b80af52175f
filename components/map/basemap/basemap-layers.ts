import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl';
import { AIRPORT_MARK, aerodromeLayer, airportLabelLayers, RUNWAY, runwayLayer } from './airport-layers.ts';
import type { BasemapPalette } from './basemap-palette.ts';
import { BASEMAP_LAYER } from './basemap-tileset.ts';
import { GRATICULE_STEPS } from './graticule.ts';
import { LABEL_FONT } from './label-fonts.ts';

export const BASEMAP_SOURCE = 'basemap';
export const GRATICULE_SOURCE = 'graticule';

/** Insertion points, bottom first. Marks go on top of everything. */
export const BELOW_GRATICULE = 'graticule-line-30';
/** Above land and lines, below labels. */
export const BELOW_LABELS = 'graticule-label';

/** Roads' names of another map go below these. */
export const PLACES = 'place';

/** For another map's ground and place names. */
export const ABOVE_GROUND = RUNWAY;
export const ABOVE_PLACES = AIRPORT_MARK;

export const PLACE_IS_SHOWN: ExpressionSpecification = ['<=', ['get', 'min_zoom'], ['zoom']];

export interface BasemapVisibility {
  readonly graticule: boolean;
  readonly places: boolean;
}

const fade = (...stops: number[]): ExpressionSpecification =>
  ['interpolate', ['linear'], ['zoom'], ...stops] as unknown as ExpressionSpecification;

export function basemapLayers(palette: BasemapPalette, visibility: BasemapVisibility): LayerSpecification[] {
  return [
    { id: 'water', type: 'background', paint: { 'background-color': palette.water } },
    {
      id: 'land',
      type: 'fill',
      source: BASEMAP_SOURCE,
      'source-layer': BASEMAP_LAYER.land,
      paint: { 'fill-color': palette.land },
    },
    {
      id: 'river',
      type: 'line',
      source: BASEMAP_SOURCE,
      'source-layer': BASEMAP_LAYER.rivers,
      layout: { 'line-join': 'round', 'line-cap': 'round' },
      // The data is 1:50 million: from zoom 7 it is kilometres off the rivers.
      maxzoom: 7,
      paint: {
        'line-color': palette.river,
        'line-width': fade(3, 0.6, 6, 1.3),
        'line-opacity': fade(3, 0.6, 4, 1, 6, 1, 7, 0),
      },
    },
    {
      id: 'lake',
      type: 'fill',
      source: BASEMAP_SOURCE,
      'source-layer': BASEMAP_LAYER.lakes,
      paint: { 'fill-color': palette.water },
    },
    {
      id: 'coast',
      type: 'line',
      source: BASEMAP_SOURCE,
      'source-layer': BASEMAP_LAYER.coast,
      layout: { 'line-join': 'round', 'line-cap': 'round' },
      paint: { 'line-color': palette.coast, 'line-width': fade(0, 0.4, 4, 0.7, 10, 1.2) },
    },
    {
      id: 'border',
      type: 'line',
      source: BASEMAP_SOURCE,
      'source-layer': BASEMAP_LAYER.borders,
      layout: { 'line-join': 'round', 'line-cap': 'round' },
      // One style for all: the data doesn't mark disputed borders, and the map takes no side.
      paint: { 'line-color': palette.border, 'line-width': fade(1, 0.4, 5, 0.8, 10, 1.2) },
    },
    aerodromeLayer(palette),
    runwayLayer(palette),
    ...graticuleLayers(palette, visibility.graticule),
    // Airports' names win: tracks are near airports.
    placeLayer(palette, visibility.places),
    ...airportLabelLayers(palette),
  ];
}

function graticuleLayers(palette: BasemapPalette, visible: boolean): LayerSpecification[] {
  const visibility = visible ? 'visible' : 'none';
  const lines = GRATICULE_STEPS.map(
    ({ stepDeg, minZoom }): LayerSpecification => ({
      id: `graticule-line-${stepDeg}`,
      type: 'line',
      source: GRATICULE_SOURCE,
      minzoom: minZoom,
      filter: ['==', ['get', 'min_zoom'], minZoom],
      layout: { visibility },
      paint: {
        'line-color': palette.graticule,
        'line-width': 0.75,
        'line-opacity': fade(minZoom, 0, minZoom + 0.5, 1),
      },
    }),
  );
  const labels: LayerSpecification = {
    id: 'graticule-label',
    type: 'symbol',
    source: GRATICULE_SOURCE,
    // Half a zoom level after the line starts to fade in.
    filter: ['<=', ['+', ['get', 'min_zoom'], 0.5], ['zoom']],
    layout: {
      visibility,
      'symbol-placement': 'line',
      'symbol-spacing': 420,
      'symbol-sort-key': ['get', 'min_zoom'],
      'text-field': ['get', 'label'],
      'text-font': [LABEL_FONT],
      'text-size': 9,
      'text-offset': [0, -0.7],
      'text-letter-spacing': 0.04,
      'text-padding': 30,
    },
    paint: { 'text-color': palette.graticuleLabel, 'text-opacity': 0.8 },
  };
  return [...lines, labels];
}

function placeLayer(palette: BasemapPalette, visible: boolean): LayerSpecification {
  const byWeight = <T>(minor: T, middling: T, major: T): ExpressionSpecification =>
    ['match', ['get', 'weight'], 3, major, 2, middling, minor] as unknown as ExpressionSpecification;
  return {
    id: PLACES,
    type: 'symbol',
    source: BASEMAP_SOURCE,
    'source-layer': BASEMAP_LAYER.places,
    filter: PLACE_IS_SHOWN,
    layout: {
      visibility: visible ? 'visible' : 'none',
      // The bullet marks the place: half of it is left of the anchor.
      'text-field': ['format', '•', { 'font-scale': 0.9 }, ' ', { 'font-scale': 0.6 }, ['get', 'name'], {}],
      'text-font': [LABEL_FONT],
      'text-size': ['interpolate', ['linear'], ['zoom'], 2, byWeight(9.5, 10, 11), 7, byWeight(10.5, 11.5, 12.5)],
      'text-anchor': 'left',
      'text-offset': [-0.3, 0],
      'text-max-width': 100,
      'text-padding': 6,
      'symbol-sort-key': ['get', 'rank'],
    },
    paint: {
      'text-color': byWeight(palette.placeMinor, palette.place, palette.placeMajor),
      'text-halo-color': palette.land,
      'text-halo-width': 1.2,
      'text-halo-blur': 0.4,
    },
  };
}
