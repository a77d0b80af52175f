import { bearingDeg } from '#lib/geo/great-circle.ts';
import type { MotionProfile } from './motion-profile.ts';
import { type Path, pointAlong } from './path.ts';

/** One flight's path over the ground and its motion in time. Both start at 0. */
export interface Movement {
  readonly path: Path;
  readonly profile: MotionProfile;
}

/** Half of the time over which the course is averaged, which smooths the corner between two legs like a turn. */
const COURSE_HALF_SPAN_S = 2;

/** Course over the ground in degrees clockwise from north; while standing, the direction of the path. */
export function courseDeg(movement: Movement, alongM: number, speedMps: number): number {
  const halfSpanM = Math.max(1, speedMps * COURSE_HALF_SPAN_S);
  return bearingDeg(pointAlong(movement.path, alongM - halfSpanM), pointAlong(movement.path, alongM + halfSpanM));
}
