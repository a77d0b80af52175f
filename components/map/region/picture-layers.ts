import type { RasterLayerSpecification } from 'maplibre-gl';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { REGION_LAYER_PREFIX, type RegionLayers } from './region-layers.ts';

/** Always dimmed, since aerial pictures and printed maps are made to be looked at themselves. */
type RasterPaint = NonNullable<RasterLayerSpecification['paint']>;
const LEAST: Readonly<Record<BasemapTheme, number>> = { dark: 0.55, light: 0.4 };
const MOST = 0.85;
const SATURATION = { least: -0.4, most: -0.8 } as const;

/** A file of images, with less light in the dark theme and less shade in the light one. @param dimming from 0 to 1 */
export function pictureLayers(source: string, theme: BasemapTheme, dimming: number): RegionLayers {
  const amount = between(LEAST[theme], MOST, dimming);
  const light: RasterPaint =
    theme === 'dark'
      ? { 'raster-brightness-min': 0, 'raster-brightness-max': 1 - amount }
      : { 'raster-brightness-min': amount, 'raster-brightness-max': 1 };
  const paint: RasterPaint = {
    ...light,
    'raster-saturation': between(SATURATION.least, SATURATION.most, dimming),
    'raster-fade-duration': 0,
  };
  const layer: RasterLayerSpecification = { id: `${REGION_LAYER_PREFIX}picture`, type: 'raster', source, paint };
  return { ground: [layer], labels: [], places: [] };
}

function between(least: number, most: number, dimming: number): number {
  return least + (most - least) * Math.min(1, Math.max(0, dimming));
}
