import type { Position } from '#lib/model/position.ts';

/** The two heights of a position have no common datum: they are never mixed, and never stand for each other. */
export const HEIGHT_FIELDS = ['height_agl_m', 'altitude_m'] as const;
export type HeightField = (typeof HEIGHT_FIELDS)[number];

export const HEIGHT_FIELD_TEXT: Readonly<Record<HeightField, string>> = {
  height_agl_m: 'height above ground (estimated)',
  altitude_m: 'altitude, datum not stated',
};

/** Heights that a limit of a zone or rule may have, in metres. */
export const HEIGHT_LIMITS_M = { min: -1000, max: 100_000 } as const;

export function heightM(position: Pick<Position, 'heightAglM' | 'altitudeM'>, field: HeightField): number | undefined {
  return field === 'height_agl_m' ? position.heightAglM : position.altitudeM;
}
