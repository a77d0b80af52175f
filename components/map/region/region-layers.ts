import type { LayerSpecification } from 'maplibre-gl';

export const REGION_LAYER_PREFIX = 'region-';

export interface RegionLayers {
  /** Covers the built-in ground, below runways and graticule. */
  readonly ground: readonly LayerSpecification[];
  /** Names of roads and waters: all other names win. */
  readonly labels: readonly LayerSpecification[];
  readonly places: readonly LayerSpecification[];
}
