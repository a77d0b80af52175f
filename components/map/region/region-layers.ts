import { type Flavor, language_script_pairs, layers } from '@protomaps/basemaps';
import type {
  ExpressionSpecification,
  LayerSpecification,
  StyleImageMetadata,
  SymbolLayerSpecification,
} from 'maplibre-gl';
import { type BasemapPalette, type BasemapTheme, basemapPalette, dimmedColours } from '../basemap/basemap-palette.ts';
import { LABEL_FONT } from '../basemap/label-fonts.ts';
import { type DistanceImage, distanceImage } from '../drawn/feature-images.ts';

export const REGION_LAYER_PREFIX = 'region-';

/** The layers of a region's map, in three places of the built-in one. */
export interface RegionLayers {
  /** Covers the built-in ground, below runways and graticule. */
  readonly ground: readonly LayerSpecification[];
  /** Names of roads and waters: all other names win. */
  readonly labels: readonly LayerSpecification[];
  readonly places: readonly LayerSpecification[];
}

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

/** Text sizes in pixels: Protomaps' own would outshine tracks' labels. */
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

/** Protomaps' layers in our colours, fonts and icons. Themes and dimming change only paint. */
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

const DRAWN_IN: Partial<Record<keyof RegionPalette, string>> = {
  water: 'background water',
  land:
    'earth tunnel_other_casing tunnel_minor tunnel_link tunnel_major tunnel_highway roads_label_minor_halo ' +
    'roads_label_major_halo subplace_label_halo city_label_halo state_label_halo address_label_halo',
  green: 'park_a park_b scrub_a scrub_b zoo',
  wood: 'wood_a wood_b',
  sand: 'sand beach',
  ice: 'glacier',
  built: 'hospital school pedestrian military pier',
  industrial: 'industrial',
  aerodrome: 'aerodrome',
  runway: 'runway',
  building: 'buildings',
  rail: 'railway',
  border: 'boundaries',
  path: 'tunnel_other other bridges_other',
  minorRoad: 'minor_service minor_a minor_b bridges_minor',
  majorRoad: 'link major bridges_link bridges_major',
  highway: 'highway bridges_highway',
  casing:
    'tunnel_minor_casing tunnel_link_casing tunnel_major_casing tunnel_highway_casing minor_service_casing ' +
    'minor_casing link_casing major_casing_late highway_casing_late major_casing_early highway_casing_early ' +
    'bridges_other_casing bridges_minor_casing bridges_link_casing bridges_major_casing bridges_highway_casing',
  place: 'city_label',
  placeMinor: 'roads_label_minor roads_label_major ocean_label subplace_label state_label address_label',
  placeMajor: 'country_label',
};

const POI_COLOURS = ['blue', 'green', 'lapis', 'pink', 'red', 'slategray', 'tangerine', 'turquoise'];

function regionFlavor(palette: RegionPalette): Flavor {
  const { land, green, wood, sand, ice, built, placeMinor } = palette;
  const colours = Object.entries(DRAWN_IN).flatMap(([name, drawn]) =>
    drawn.split(' ').map((what) => [what, palette[name as keyof RegionPalette]]),
  );
  return {
    ...Object.fromEntries(colours),
    landcover: {
      barren: sand,
      farmland: land,
      forest: wood,
      glacier: ice,
      grassland: green,
      scrub: green,
      urban_area: built,
    },
    pois: Object.fromEntries(POI_COLOURS.map((colour) => [colour, placeMinor])),
    regular: LABEL_FONT,
    bold: LABEL_FONT,
    italic: LABEL_FONT,
  };
}

/** Colours as #rrggbb. Fills stay close to the land, so that marks stand out. */
interface RegionColours {
  readonly green: string;
  readonly wood: string;
  readonly sand: string;
  readonly ice: string;
  readonly built: string;
  readonly industrial: string;
  readonly aerodrome: string;
  readonly building: string;
  readonly path: string;
  readonly minorRoad: string;
  readonly majorRoad: string;
  readonly highway: string;
  readonly casing: string;
  readonly rail: string;
}

export type RegionPalette = BasemapPalette & RegionColours;

const COLOURS: Readonly<Record<BasemapTheme, RegionColours>> = {
  dark: {
    green: '#1a2d2f',
    wood: '#182a2b',
    sand: '#242c32',
    ice: '#22303c',
    built: '#1e2934',
    industrial: '#1f2a35',
    aerodrome: '#2d343b',
    building: '#253240',
    path: '#2c3b48',
    minorRoad: '#30404f',
    majorRoad: '#3a4c5c',
    highway: '#45596a',
    casing: '#16202a',
    rail: '#2f3d4b',
  },
  light: {
    green: '#dfeadd',
    wood: '#d8e6d8',
    sand: '#f0eddf',
    ice: '#f6f9fb',
    built: '#e8ecea',
    industrial: '#e5e9ea',
    aerodrome: '#dfe5e4',
    building: '#dce2e4',
    path: '#dde3e6',
    minorRoad: '#fafbfb',
    majorRoad: '#ffffff',
    highway: '#ffffff',
    casing: '#c9d3d9',
    rail: '#c2ccd3',
  },
};

/** @param dimming 0 (as designed) to 1 (barely visible) */
export function regionPalette(theme: BasemapTheme, dimming: number): RegionPalette {
  const { land } = basemapPalette(theme);
  return { ...basemapPalette(theme, dimming), ...dimmedColours({ ...COLOURS[theme] }, land, dimming) };
}

export const REGION_ICON = { dot: 'region-dot', arrow: 'region-arrow', shield: 'region-shield' } as const;

const PIXEL_RATIO = 2;

interface DrawnIcon {
  readonly id: string;
  readonly image: DistanceImage;
  readonly options: Partial<StyleImageMetadata>;
}

type Distance = (x: number, y: number) => number;

const dot: Distance = (x, y) => Math.hypot(x, y) - 4;

const arrow: Distance = (x, y) => Math.max(y - 4, (2 * Math.abs(x) - y - 5) / Math.sqrt(5));

const shield: Distance = (x, y) => {
  const [dx, dy] = [Math.abs(x) - 10, Math.abs(y) - 6];
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - 3;
};

export function regionIcons(): readonly DrawnIcon[] {
  const options = { pixelRatio: PIXEL_RATIO, sdf: true };
  return [
    { id: REGION_ICON.dot, image: distanceImage(24, 24, dot), options },
    { id: REGION_ICON.arrow, image: distanceImage(24, 24, arrow), options },
    {
      id: REGION_ICON.shield,
      image: distanceImage(36, 28, shield),
      options: { ...options, stretchX: [[12, 24]], stretchY: [[11, 17]], content: [6, 6, 30, 22] },
    },
  ];
}
