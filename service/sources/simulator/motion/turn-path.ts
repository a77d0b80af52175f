import { type LocalPoint, offset } from './local-frame.ts';

export interface Pose extends LocalPoint {
  readonly headingDeg: number;
}

const rad = Math.PI / 180;
/** Angle between two points of a turn. */
const ARC_STEP_RAD = 15 * rad;

type Side = 'left' | 'right';
interface Turns {
  readonly first: Side;
  readonly firstRad: number;
  readonly straightM: number;
  readonly second: Side;
  readonly secondRad: number;
}

/**
 * The shortest path from one pose to another by a turn, a straight leg and a turn, all turns with the same radius
 * (Dubins path, L. E. Dubins, 1957, without the three-turn paths: poses here are far apart). Returns the points after
 * `from`, up to and including `to`.
 */
export function turnPath(from: Pose, to: Pose, radiusM: number): LocalPoint[] {
  const turns = shortestTurns(from, to, radiusM);
  const points: LocalPoint[] = [];
  const firstEnd = addArc(points, from, turns.first, turns.firstRad, radiusM);
  const straightEnd = { ...offset(firstEnd, firstEnd.headingDeg, turns.straightM, 0), headingDeg: firstEnd.headingDeg };
  points.push(straightEnd);
  addArc(points, straightEnd, turns.second, turns.secondRad, radiusM);
  points.push({ eastM: to.eastM, northM: to.northM });
  return points;
}

/** Adds the points of a turn to `points` and returns the pose at its end. */
export function addArc(points: LocalPoint[], from: Pose, side: Side, angleRad: number, radiusM: number): Pose {
  const sign = side === 'right' ? 1 : -1;
  const centre = offset(from, from.headingDeg, 0, sign * radiusM);
  const steps = Math.ceil(angleRad / ARC_STEP_RAD);
  let pose = from;
  for (let step = 1; step <= steps; step++) {
    const headingDeg = from.headingDeg + (sign * ((angleRad * step) / steps)) / rad;
    pose = { ...offset(centre, headingDeg, 0, -sign * radiusM), headingDeg };
    points.push(pose);
  }
  return pose;
}

/** In units of the radius, angles counter-clockwise from the line between the poses. */
function shortestTurns(from: Pose, to: Pose, radiusM: number): Turns {
  const east = to.eastM - from.eastM;
  const north = to.northM - from.northM;
  const d = Math.hypot(east, north) / radiusM;
  const line = Math.atan2(north, east);
  const a = Math.PI / 2 - from.headingDeg * rad - line;
  const b = Math.PI / 2 - to.headingDeg * rad - line;
  const cosDifference = 2 * Math.cos(a - b);
  const [sinA, sinB, cosA, cosB] = [Math.sin(a), Math.sin(b), Math.cos(a), Math.cos(b)];
  const candidates: Turns[] = [];

  function add(
    first: Side,
    second: Side,
    straightSquared: number,
    angles: (straight: number) => [number, number],
  ): void {
    if (straightSquared < 0) return;
    const straight = Math.sqrt(straightSquared);
    const [firstRad, secondRad] = angles(straight);
    candidates.push({
      first,
      firstRad: fullTurn(firstRad),
      straightM: straight * radiusM,
      second,
      secondRad: fullTurn(secondRad),
    });
  }

  add('left', 'left', 2 + d * d - cosDifference + 2 * d * (sinA - sinB), () => {
    const course = Math.atan2(cosB - cosA, d + sinA - sinB);
    return [course - a, b - course];
  });
  add('right', 'right', 2 + d * d - cosDifference + 2 * d * (sinB - sinA), () => {
    const course = Math.atan2(cosA - cosB, d - sinA + sinB);
    return [a - course, course - b];
  });
  add('left', 'right', d * d - 2 + cosDifference + 2 * d * (sinA + sinB), (straight) => {
    const course = Math.atan2(-cosA - cosB, d + sinA + sinB) - Math.atan2(-2, straight);
    return [course - a, course - b];
  });
  add('right', 'left', d * d - 2 + cosDifference - 2 * d * (sinA + sinB), (straight) => {
    const course = Math.atan2(cosA + cosB, d - sinA - sinB) - Math.atan2(2, straight);
    return [a - course, b - course];
  });

  const lengthM = (turns: Turns) => (turns.firstRad + turns.secondRad) * radiusM + turns.straightM;
  return candidates.reduce((best, turns) => (lengthM(turns) < lengthM(best) ? turns : best));
}

/** The angle normalised to [0, 2π). A full turn that comes from rounding is 0. */
function fullTurn(angle: number): number {
  const turned = ((angle % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
  return turned > 2 * Math.PI - 1e-9 ? 0 : turned;
}
