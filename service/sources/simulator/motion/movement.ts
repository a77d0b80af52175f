import { bearingDeg } from '#lib/geo/great-circle.ts';
import type { MotionProfile } from './motion-profile.ts';
import { type Path, pointAlong } from './path.ts';

/** One flight's way over the ground and its course in time. Both begin at 0. */
export interface Movement {
  readonly path: Path;
  readonly profile: MotionProfile;
}

/** Half of the span over which the course is taken: it rounds the corner between two legs as a turn would. */
const COURSE_HALF_SPAN_S = 2;

/** Course over the ground in degrees clockwise from north; where nothing moves, that of the way ahead or behind. */
export function courseDeg(movement: Movement, alongM: number, speedMps: number): number {
  const halfSpanM = Math.max(1, speedMps * COURSE_HALF_SPAN_S);
  return bearingDeg(pointAlong(movement.path, alongM - halfSpanM), pointAlong(movement.path, alongM + halfSpanM));
}
