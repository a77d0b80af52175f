import { language_script_pairs, layers } from '@protomaps/basemaps';
import type { ExpressionSpecification, LayerSpecification, SymbolLayerSpecification } from 'maplibre-gl';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { LABEL_FONT } from '../basemap/label-fonts.ts';
import { regionFlavor } from './region-flavor.ts';
import { REGION_ICON } from './region-icons.ts';
import { REGION_LAYER_PREFIX, type RegionLayers } from './region-layers.ts';
import { type RegionPalette, regionPalette } from './region-palette.ts';

/** The ground outside is the built-in map's; house numbers are too much detail. */
const LEFT_OUT: ReadonlySet<string> = new Set(['background', 'address_label']);

const LANDMARKS = [
  'beach',
  'forest',
  'marina',
  'park',
  'peak',
  'zoo',
  'station',
  'ferry_terminal',
  'stadium',
  'university',
  'school',
  'hospital',
  'townhall',
  'attraction',
  'museum',
];

/** Pixels; Protomaps' own sizes would outshine tracks' labels. */
const TEXT_SIZE: Readonly<Record<string, ExpressionSpecification | number>> = {
  water_waterway_label: 10,
  roads_labels_minor: 10,
  roads_labels_major: 10,
  water_label_ocean: 10.5,
  water_label_lakes: 10,
  pois: 10,
  places_subplace: 10,
  places_region: 10.5,
  places_locality: ['interpolate', ['linear'], ['zoom'], 4, 10, 12, 12],
  places_country: 11,
};

/** The browser's language if the schema has it, otherwise English. */
export function nameLanguage(preferred: readonly string[]): string {
  const known = new Set(language_script_pairs.map(({ lang }) => lang));
  const bases = preferred.map((tag) => (tag.startsWith('zh') ? chinese(tag) : (tag.split('-')[0] ?? '')));
  return bases.find((base) => known.has(base)) ?? 'en';
}

function chinese(tag: string): string {
  return /hant|tw|hk|mo/i.test(tag) ? 'zh-Hant' : 'zh-Hans';
}

/** Themes and dimming change only paint. */
export function protomapsLayers(
  source: string,
  { theme, dimming, language }: { readonly theme: BasemapTheme; readonly dimming: number; readonly language: string },
): RegionLayers {
  const palette = regionPalette(theme, dimming);
  const all = withOurFont(layers(source, regionFlavor(palette), { lang: language }))
    .filter(({ id }) => !LEFT_OUT.has(id))
    .map((layer) => ours(layer, palette));
  const named = (layer: LayerSpecification) => ({ ...layer, id: `${REGION_LAYER_PREFIX}${layer.id}` });
  const isLabel = ({ type }: LayerSpecification) => type === 'symbol';
  const isPlace = ({ id }: LayerSpecification) => id.startsWith('places_');
  return {
    ground: all.filter((layer) => !isLabel(layer)).map(named),
    labels: all.filter((layer) => isLabel(layer) && !isPlace(layer)).map(named),
    places: all.filter(isPlace).map(named),
  };
}

/** MapLibre does not need the schema's Devanagari names encoded for a Protomaps font. */
function withOurFont(drawn: readonly LayerSpecification[]): LayerSpecification[] {
  return JSON.parse(
    JSON.stringify(drawn)
      .replaceAll(/"Noto Sans[^"]*"/g, JSON.stringify(LABEL_FONT))
      .replaceAll('"pgf:', '"'),
  );
}

function ours(layer: LayerSpecification, palette: RegionPalette): LayerSpecification {
  if (layer.type !== 'symbol') return layer;
  const size = TEXT_SIZE[layer.id];
  const sized = size === undefined ? layer : { ...layer, layout: { ...layer.layout, 'text-size': size } };
  switch (layer.id) {
    case 'roads_oneway':
      return withIcon(sized, REGION_ICON.arrow, palette.rail);
    case 'roads_shields':
      return shields(sized, palette);
    case 'pois':
      return landmarks(sized, palette);
    case 'places_locality': {
      const icon: ExpressionSpecification = ['step', ['zoom'], REGION_ICON.dot, 8, ''];
      return withIcon(sized, icon, palette.place);
    }
    default:
      return sized;
  }
}

function withIcon(
  layer: SymbolLayerSpecification,
  icon: string | ExpressionSpecification,
  colour: string,
): SymbolLayerSpecification {
  return {
    ...layer,
    layout: { ...layer.layout, 'icon-image': icon },
    paint: { ...layer.paint, 'icon-color': colour },
  };
}

function shields(layer: SymbolLayerSpecification, palette: RegionPalette): SymbolLayerSpecification {
  const { layout, ...rest } = withIcon(layer, REGION_ICON.shield, palette.casing);
  return { ...rest, layout: { ...layout, 'icon-text-fit': 'both', 'icon-size': 1, 'text-size': 9 } };
}

function landmarks(layer: SymbolLayerSpecification, palette: RegionPalette): SymbolLayerSpecification {
  const { layout, ...rest } = withIcon(layer, REGION_ICON.dot, palette.placeMinor);
  return {
    ...rest,
    filter: ['all', ['in', ['get', 'kind'], ['literal', LANDMARKS]], ['>=', ['zoom'], ['get', 'min_zoom']]],
    layout: { ...layout, 'icon-size': 0.7, 'text-offset': [0.7, 0] },
    paint: { ...rest.paint, 'text-color': palette.placeMinor },
  };
}
