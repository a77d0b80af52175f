import type { LayerSpecification } from 'maplibre-gl';

export const REGION_LAYER_PREFIX = 'region-';

/** The layers of a map of one's own region, bottom first, by what of the built-in map lies above them. */
export interface RegionLayers {
  /** Covers the built-in ground; runways, graticule and everything else lies above. */
  readonly ground: readonly LayerSpecification[];
  /** Names of roads and waters and the like: all other names win. */
  readonly labels: readonly LayerSpecification[];
  readonly places: readonly LayerSpecification[];
}
