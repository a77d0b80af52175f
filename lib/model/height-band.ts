import type { Layer } from './position.ts';

/** Metres in this field alone, from `floor_m` up to and without `ceiling_m`. Null is no limit. */
export interface HeightBand {
  readonly id: string;
  readonly field: 'height_agl_m' | 'altitude_m';
  readonly floor_m: number | null;
  readonly ceiling_m: number | null;
}

/** The last band of each layer is of records whose field was null. */
export const HEIGHT_UNKNOWN = 'unknown';

/** Edges of the bands in metres. 120 m is the ceiling of the EU's open category. */
const EDGES_M: Readonly<Record<Layer, readonly number[]>> = {
  rid: [30, 60, 120],
  adsb: [1000, 3000, 6000, 10_000],
};

/** Bands of each layer, the lowest first and the unknown height last. */
export const HEIGHT_BANDS: Readonly<Record<Layer, readonly HeightBand[]>> = {
  rid: bandsOf('height_agl_m', EDGES_M.rid),
  adsb: bandsOf('altitude_m', EDGES_M.adsb),
};

/** Index in `HEIGHT_BANDS`. @param heightM of the bands' field */
export function heightBandOf(layer: Layer, heightM: number | undefined): number {
  const edges = EDGES_M[layer];
  if (heightM === undefined) return edges.length + 1;
  let band = 0;
  while (heightM >= (edges[band] ?? Number.POSITIVE_INFINITY)) band++;
  return band;
}

/**
 * The indices of bands that are added up, such as `-30,30-60,60-120` for all below 120 m. `undefined` if one is not of the
 * layer, or is repeated.
 */
export function heightBandsOf(layer: Layer, ids: string): readonly number[] | undefined {
  const indices = ids.split(',').map((id) => HEIGHT_BANDS[layer].findIndex((band) => band.id === id));
  return indices.includes(-1) || new Set(indices).size < indices.length ? undefined : indices;
}

function bandsOf(field: HeightBand['field'], edges: readonly number[]): readonly HeightBand[] {
  const known = [null, ...edges].map((floor_m, index): HeightBand => {
    const ceiling_m = edges[index] ?? null;
    return { id: `${floor_m ?? ''}-${ceiling_m ?? ''}`, field, floor_m, ceiling_m };
  });
  return [...known, { id: HEIGHT_UNKNOWN, field, floor_m: null, ceiling_m: null }];
}
