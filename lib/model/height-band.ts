import type { Layer } from './position.ts';

/** In this field alone; metres. `floor_m` is inclusive, `ceiling_m` exclusive; null: no limit. */
export interface HeightBand {
  readonly id: string;
  readonly field: 'height_agl_m' | 'altitude_m';
  readonly floor_m: number | null;
  readonly ceiling_m: number | null;
}

/** The field was null: the last band of each layer. */
export const HEIGHT_UNKNOWN = 'unknown';

/** 120 m: ceiling of the EU's open category. */
const EDGES_M: Readonly<Record<Layer, readonly number[]>> = {
  rid: [30, 60, 120],
  adsb: [1000, 3000, 6000, 10_000],
};

/** The lowest band first, the unknown height last. */
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

function bandsOf(field: HeightBand['field'], edges: readonly number[]): readonly HeightBand[] {
  const known = [null, ...edges].map((floor_m, index): HeightBand => {
    const ceiling_m = edges[index] ?? null;
    return { id: `${floor_m ?? ''}-${ceiling_m ?? ''}`, field, floor_m, ceiling_m };
  });
  return [...known, { id: HEIGHT_UNKNOWN, field, floor_m: null, ceiling_m: null }];
}
