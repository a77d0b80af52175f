import { type LocalPoint, offset } from './local-frame.ts';
import { addArc, type Pose } from './turn-path.ts';

/**
 * Laps of a standard hold, a racetrack with right turns: inbound over the fix, half a turn, the outbound leg, half a
 * turn, the inbound leg back to the fix. Returns the points after the fix; the last one is the fix.
 */
export function racetrack(fix: Pose, legM: number, radiusM: number, laps: number): LocalPoint[] {
  const points: LocalPoint[] = [];
  for (let lap = 0; lap < laps; lap++) {
    const outbound = addArc(points, fix, 'right', Math.PI, radiusM);
    const outboundEnd = offset(outbound, outbound.headingDeg, legM, 0);
    points.push(outboundEnd);
    addArc(points, { ...outboundEnd, headingDeg: outbound.headingDeg }, 'right', Math.PI, radiusM);
    points.push({ eastM: fix.eastM, northM: fix.northM });
  }
  return points;
}
