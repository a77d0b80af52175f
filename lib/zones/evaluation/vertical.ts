import type { Position } from '#lib/model/position.ts';
import type { HEIGHT_FIELDS, Vertical } from '../zone.ts';

type HeightField = (typeof HEIGHT_FIELDS)[number];

/** No common datum: never substitute one height for the other. */
export function heightM(position: Position, field: HeightField): number | undefined {
  return field === 'height_agl_m' ? position.heightAglM : position.altitudeM;
}

/** `flagged` counts as inside; `unknown` is neither. */
export type HeightAnswer = 'inside' | 'outside' | 'unknown' | 'flagged';

export function heightAnswer(vertical: Vertical, position: Position): HeightAnswer {
  if (vertical === null || (vertical.floor_m === null && vertical.ceiling_m === null)) return 'inside';
  const height = heightM(position, vertical.field);
  if (height === undefined) return UNKNOWN[vertical.unknown];
  const isInside =
    (vertical.floor_m === null || height >= vertical.floor_m) &&
    (vertical.ceiling_m === null || height <= vertical.ceiling_m);
  return isInside ? 'inside' : 'outside';
}

const UNKNOWN = { counts: 'inside', flagged: 'flagged', excluded: 'unknown' } as const;

/** A step of barometric altitude is 25 ft, 7.6 m: a height this near to a limit may be on either side. */
export const HEIGHT_STEP_M = 8;

/** Of a known height and stated limits. A layer thinner than four steps has a core. */
export function isNearLimit(vertical: Vertical, position: Position): boolean {
  if (vertical === null) return false;
  const { floor_m, ceiling_m, field } = vertical;
  const height = heightM(position, field);
  if (height === undefined) return false;
  const stepM =
    floor_m === null || ceiling_m === null ? HEIGHT_STEP_M : Math.min(HEIGHT_STEP_M, (ceiling_m - floor_m) / 4);
  return [floor_m, ceiling_m].some((limit) => limit !== null && Math.abs(height - limit) < stepM);
}

/** In [0, 1] of the segment, for evenly changing height. */
export function partBetweenLimits(
  vertical: Vertical,
  from: Position,
  to: Position,
): readonly [number, number] | undefined {
  if (vertical === null) return [0, 1];
  const { field, floor_m, ceiling_m, unknown } = vertical;
  if (floor_m === null && ceiling_m === null) return [0, 1];
  const [start, end] = [heightM(from, field), heightM(to, field)];
  if (start === undefined || end === undefined) return unknown === 'excluded' ? undefined : [0, 1];
  const floor = floor_m ?? Number.NEGATIVE_INFINITY;
  const ceiling = ceiling_m ?? Number.POSITIVE_INFINITY;
  if (start === end) return start >= floor && start <= ceiling ? [0, 1] : undefined;
  const [atFloor, atCeiling] = [(floor - start) / (end - start), (ceiling - start) / (end - start)];
  const first = Math.max(0, Math.min(atFloor, atCeiling));
  const last = Math.min(1, Math.max(atFloor, atCeiling));
  return first <= last ? [first, last] : undefined;
}
