import 'server-only';
import { z } from 'zod';
import { HOME_ZOOM, isZoomIn } from '#lib/geo/zoom-limits.ts';
import { type ConfiguredMap, configuredMapProblems, configuredMaps } from '../maps/map-setting.ts';
import type { HomeView } from '../upstream/received-home.ts';
import { optionalText, optionalUrl, type SettingProblem, textList } from './setting-forms.ts';

const HOME_DEFAULT = '46.9,8.2,7';

export const mapSettings = z.object({
  /** MapLibre style that replaces the built-in basemap. */
  MAP_STYLE_URL: optionalUrl('the address of a MapLibre style'),
  /** Other origins of its tiles, sprites and glyphs, separated by commas. */
  MAP_STYLE_ORIGINS: textList.refine((origins) => origins.every((origin) => /^https?:\/\/[^/\s;]+$/.test(origin)), {
    error: 'must be origins such as https://tiles.example, separated by commas',
  }),
  /** PMTiles maps on disk, in addition to `DATA_DIR/maps`: `FILE` or `NAME=FILE`, separated by commas (`maps.md`). */
  MAP_PMTILES_FILE: optionalText.transform((text) => configuredMaps(text ?? '')),
  /** Where the map opens: latitude, longitude, zoom; default: `46.9,8.2,7`, or the area of own receivers. */
  HOME_VIEW: optionalText.refine((text) => homeView(text ?? HOME_DEFAULT) !== undefined, {
    error: 'must be LAT,LON,ZOOM in degrees and zoom levels, such as 46.9,8.2,7',
  }),
});

type MapSettings = z.infer<typeof mapSettings>;

export interface MapConfig {
  readonly mapStyle: { readonly url: string; readonly origins: readonly string[] } | undefined;
  readonly maps: readonly ConfiguredMap[];
  readonly home: HomeView;
  /** False: the view may follow what is received. */
  readonly hasSetHome: boolean;
}

export function* mapProblems({ MAP_PMTILES_FILE: maps }: MapSettings): Generator<SettingProblem<MapSettings>> {
  for (const problem of configuredMapProblems(maps)) yield ['MAP_PMTILES_FILE', problem];
}

export function mapConfig({
  MAP_STYLE_URL: styleUrl,
  MAP_STYLE_ORIGINS: origins,
  MAP_PMTILES_FILE: maps,
  HOME_VIEW: home,
}: MapSettings): MapConfig {
  return {
    mapStyle: styleUrl === undefined ? undefined : { url: styleUrl, origins: [new URL(styleUrl).origin, ...origins] },
    maps,
    home: homeView(home ?? HOME_DEFAULT) as HomeView,
    hasSetHome: home !== undefined,
  };
}

function homeView(text: string): HomeView | undefined {
  const parts = text.split(',').map((part) => (/^\s*-?\d+(\.\d+)?\s*$/.test(part) ? Number(part) : Number.NaN));
  const [lat, lon, zoom] = parts as [number, number, number];
  const known = parts.length === 3 && Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && isZoomIn(HOME_ZOOM, zoom);
  return known ? { lat, lon, zoom } : undefined;
}
