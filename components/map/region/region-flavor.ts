import type { Flavor } from '@protomaps/basemaps';
import { LABEL_FONT } from '../basemap/label-fonts.ts';
import type { RegionPalette } from './region-palette.ts';

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

export function regionFlavor(palette: RegionPalette): Flavor {
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
