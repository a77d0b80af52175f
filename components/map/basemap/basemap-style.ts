import type { StyleSpecification } from 'maplibre-gl';
import { AIRPORTS_SOURCE } from './airport-layers.ts';
import { AIRPORTS_ARCHIVE_PATH, AIRPORTS_ATTRIBUTION } from './airport-tileset.ts';
import { BASEMAP_SOURCE, type BasemapVisibility, basemapLayers, GRATICULE_SOURCE } from './basemap-layers.ts';
import { type BasemapTheme, basemapPalette } from './basemap-palette.ts';
import { BASEMAP_ARCHIVE_PATH, BASEMAP_ATTRIBUTION, BASEMAP_FONTS_PATH } from './basemap-tileset.ts';
import { graticule } from './graticule.ts';
import { LABEL_FONT_FILES } from './label-fonts.ts';

export interface BasemapOptions {
  /** 0 (as designed) to 1 (barely visible). */
  readonly dimming?: number;
  readonly graticule?: boolean;
  readonly places?: boolean;
}

/**
 * Requests only our own origin; register the pmtiles protocol first. Themes differ only in paint, so recolourBasemap()
 * needs no setStyle().
 */
export function basemapStyle(theme: BasemapTheme, options: BasemapOptions = {}): StyleSpecification {
  return {
    version: 8,
    name: `Lookout ${theme}`,
    // No transition: a print is drawn in light colours between two frames.
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

export function basemapVisibility(options: BasemapOptions): BasemapVisibility {
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
