import type { ExpressionSpecification, LayerSpecification, Map as MaplibreMap, StyleSpecification } from 'maplibre-gl';
import { AIRPORT_MARK, AIRPORTS_SOURCE, airportLabelLayers, RUNWAY, runwayLayer } from './airport-layers.ts';
import { AIRPORTS_ARCHIVE_PATH, AIRPORTS_ATTRIBUTION } from './airport-tileset.ts';
import { type BasemapPalette, type BasemapTheme, basemapPalette } from './basemap-palette.ts';
import { BASEMAP_ARCHIVE_PATH, BASEMAP_ATTRIBUTION, BASEMAP_FONTS_PATH, BASEMAP_LAYER } from './basemap-tileset.ts';
import { LABEL_FONT, LABEL_FONT_FILES } from './label-fonts.ts';

interface BasemapOptions {
  /** 0 (as designed) to 1 (barely visible). */
  readonly dimming?: number;
  readonly graticule?: boolean;
  readonly places?: boolean;
}

/**
 * The built-in map: land, water, borders, places, airports and a graticule. It requests only our own origin; register
 * the pmtiles protocol first. Themes differ only in paint, so `recolourBasemap` needs no `setStyle`.
 */
export function basemapStyle(theme: BasemapTheme, options: BasemapOptions = {}): StyleSpecification {
  return {
    version: 8,
    name: `Lookout ${theme}`,
    // There is no transition: a print is drawn in light colours between two frames.
    transition: { duration: 0, delay: 0 },
    'font-faces': fontFaces(),
    sources: {
      [BASEMAP_SOURCE]: {
        type: 'vector',
        url: `pmtiles://${BASEMAP_ARCHIVE_PATH}`,
        attribution: BASEMAP_ATTRIBUTION,
      },
      [AIRPORTS_SOURCE]: {
        type: 'vector',
        url: `pmtiles://${AIRPORTS_ARCHIVE_PATH}`,
        attribution: AIRPORTS_ATTRIBUTION,
      },
      [GRATICULE_SOURCE]: { type: 'geojson', data: graticule(), tolerance: 0, maxzoom: 12 },
    },
    layers: basemapLayers(basemapPalette(theme, options.dimming), basemapVisibility(options)),
  };
}

function basemapVisibility(options: BasemapOptions): BasemapVisibility {
  return { graticule: options.graticule ?? true, places: options.places ?? true };
}

function fontFaces(): NonNullable<StyleSpecification['font-faces']> {
  const faces: Record<string, { url: string; 'unicode-range': string[] }[]> = {};
  for (const { font, fileName, unicodeRange } of LABEL_FONT_FILES) {
    faces[font] ??= [];
    faces[font].push({ url: `${BASEMAP_FONTS_PATH}/${fileName}`, 'unicode-range': [...unicodeRange] });
  }
  return faces;
}

export const BASEMAP_SOURCE = 'basemap';

const GRATICULE_SOURCE = 'graticule';

/** The insertion points of layers, bottom first. Marks go on top of everything. */
export const BELOW_GRATICULE = 'graticule-line-30';

/** Roads' names of another map go below these. */
export const PLACE_NAMES = 'place';

/** Another map's ground and place names go below these. */
export const ABOVE_GROUND = RUNWAY;

export const ABOVE_PLACES = AIRPORT_MARK;

export const PLACE_IS_SHOWN: ExpressionSpecification = ['<=', ['get', 'min_zoom'], ['zoom']];

interface BasemapVisibility {
  readonly graticule: boolean;
  readonly places: boolean;
}

const fade = (...stops: number[]): ExpressionSpecification =>
  ['interpolate', ['linear'], ['zoom'], ...stops] as unknown as ExpressionSpecification;

function basemapLayers(palette: BasemapPalette, visibility: BasemapVisibility): LayerSpecification[] {
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
    // A label appears half a zoom level after its line starts to fade in.
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
    id: PLACE_NAMES,
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

type PaintProperty = Parameters<MaplibreMap['setPaintProperty']>[1];

/** Recolours in place: unlike with `setStyle`, layers added since stay. Layers that the map lacks are skipped. */
export function recolourBasemap(
  map: Pick<MaplibreMap, 'getLayer' | 'setPaintProperty' | 'setLayoutProperty'>,
  theme: BasemapTheme,
  options: BasemapOptions = {},
): void {
  const layers = basemapLayers(basemapPalette(theme, options.dimming), basemapVisibility(options));
  recolourLayers(map, layers);
  for (const layer of layers) {
    if (map.getLayer(layer.id) === undefined) continue;
    map.setLayoutProperty(layer.id, 'visibility', layer.layout?.visibility ?? 'visible');
  }
}

/** Sets the paint of those layers that the map has. */
export function recolourLayers(
  map: Pick<MaplibreMap, 'getLayer' | 'setPaintProperty'>,
  layers: readonly LayerSpecification[],
): void {
  for (const layer of layers) {
    if (map.getLayer(layer.id) === undefined) continue;
    for (const [name, value] of Object.entries(layer.paint ?? {}))
      map.setPaintProperty(layer.id, name as PaintProperty, value);
  }
}

/** Steps are nested: each divides the one before. */
export const GRATICULE_STEPS = [
  { stepDeg: 30, minZoom: 0 },
  { stepDeg: 10, minZoom: 2.5 },
  { stepDeg: 5, minZoom: 4.5 },
  { stepDeg: 1, minZoom: 6 },
  { stepDeg: 0.5, minZoom: 8 },
  { stepDeg: 0.1, minZoom: 10 },
] as const;

export interface GraticuleLine {
  /** Least zoom of the coarsest step it belongs to. */
  readonly min_zoom: number;
  readonly label: string;
  readonly kind: 'meridian' | 'parallel';
}

/** Lines end before the edge of the square world, which is at 85.05°. */
const MAX_LAT_DEG = 85;

/** Integer tenths of a degree, so that finer steps meet coarser ones exactly. */
const TENTHS = 10;

export function graticule(): GeoJSON.FeatureCollection<GeoJSON.LineString, GraticuleLine> {
  const features: GeoJSON.Feature<GeoJSON.LineString, GraticuleLine>[] = [];
  for (let tenths = -180 * TENTHS; tenths < 180 * TENTHS; tenths++) {
    const deg = tenths / TENTHS;
    features.push(
      line('meridian', tenths, `${Math.abs(deg)}°${suffix(deg, 'E', 'W')}`, [
        [deg, -MAX_LAT_DEG],
        [deg, MAX_LAT_DEG],
      ]),
    );
  }
  for (let tenths = -MAX_LAT_DEG * TENTHS; tenths <= MAX_LAT_DEG * TENTHS; tenths++) {
    const deg = tenths / TENTHS;
    features.push(
      line('parallel', tenths, `${Math.abs(deg)}°${suffix(deg, 'N', 'S')}`, [
        [-180, deg],
        [180, deg],
      ]),
    );
  }
  return { type: 'FeatureCollection', features };
}

function line(
  kind: GraticuleLine['kind'],
  tenths: number,
  label: string,
  coordinates: GeoJSON.Position[],
): GeoJSON.Feature<GeoJSON.LineString, GraticuleLine> {
  const step = GRATICULE_STEPS.find(({ stepDeg }) => tenths % Math.round(stepDeg * TENTHS) === 0)!;
  return {
    type: 'Feature',
    properties: { min_zoom: step.minZoom, label, kind },
    geometry: { type: 'LineString', coordinates },
  };
}

function suffix(deg: number, positive: string, negative: string): string {
  if (deg === 0 || Math.abs(deg) === 180) return '';
  return deg > 0 ? positive : negative;
}
