import type { StyleSpecification } from 'maplibre-gl';
import type { BasemapTheme } from './basemap/basemap-palette.ts';
import { basemapStyle } from './basemap/basemap-style.ts';

/**
 * The built-in basemap, or the style at an address of one's own with our label fonts added, so that references can be written
 * on it whatever glyphs it brings.
 * @throws Error where the style cannot be fetched
 */
export async function loadMapStyle(styleUrl: string | undefined, theme: BasemapTheme): Promise<StyleSpecification> {
  const own = basemapStyle(theme);
  if (styleUrl === undefined) return own;
  const response = await fetch(styleUrl);
  if (!response.ok) throw new Error(`the map style answered ${response.status}`);
  const style = (await response.json()) as StyleSpecification;
  return { ...style, 'font-faces': { ...own['font-faces'], ...style['font-faces'] } };
}
