import { addProtocol, type StyleSpecification } from 'maplibre-gl';
import { PMTiles, Protocol } from 'pmtiles';
import { useEffect, useState } from 'react';
import { AIRPORTS_ARCHIVE_PATH } from './airport-tileset.ts';
import type { BasemapTheme } from './basemap-palette.ts';
import { basemapStyle } from './basemap-style.ts';
import { BASEMAP_ARCHIVE_PATH } from './basemap-tileset.ts';
import { PatientSource } from './patient-source.ts';

const protocol = new Protocol();
for (const path of [BASEMAP_ARCHIVE_PATH, AIRPORTS_ARCHIVE_PATH]) protocol.add(new PMTiles(new PatientSource(path)));
addProtocol('pmtiles', protocol.tile);

/**
 * `undefined` until loaded.
 * @param onFailure called with a message
 */
export function useBasemap(
  mapStyleUrl: string | undefined,
  theme: BasemapTheme,
  onFailure: (problem: string) => void,
): StyleSpecification | undefined {
  const [style, setStyle] = useState<StyleSpecification>();
  useEffect(() => {
    let wanted = true;
    loadMapStyle(mapStyleUrl, theme).then(
      (loaded) => wanted && setStyle(loaded),
      (error: unknown) => wanted && onFailure(`The map style could not be loaded: ${String(error)}`),
    );
    return () => {
      wanted = false;
    };
  }, [mapStyleUrl, theme, onFailure]);
  return style;
}

/**
 * A configured style gets our label fonts, whatever glyphs it has.
 * @throws Error if the style cannot be fetched
 */
async function loadMapStyle(styleUrl: string | undefined, theme: BasemapTheme): Promise<StyleSpecification> {
  const own = basemapStyle(theme);
  if (styleUrl === undefined) return own;
  const response = await fetch(styleUrl);
  if (!response.ok) throw new Error(`the map style answered ${response.status}`);
  const style = (await response.json()) as StyleSpecification;
  return { ...style, 'font-faces': { ...own['font-faces'], ...style['font-faces'] } };
}
