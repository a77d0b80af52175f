import { EARTH_RADIUS_M, type LonLat } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';

/**
 * A line over the ground: great circles between points. Stored as unit vectors, so that 180° and the poles need no
 * special cases.
 */
export interface Path {
  /** x, y, z of every point, one after the other. */
  readonly vectors: Float64Array;
  /** Metres from the first point to every point. */
  readonly metresAt: Float64Array;
}

const rad = Math.PI / 180;
/** Below this angle (about 6 km) the chord replaces the arc; they differ by less than a millimetre. */
const CHORD_ANGLE_RAD = 1e-3;

/** Takes two or more points. Consecutive points may be equal, but not antipodal. */
export function makePath(points: readonly LonLat[]): Path {
  const vectors = new Float64Array(points.length * 3);
  const metresAt = new Float64Array(points.length);
  for (const [index, point] of points.entries()) {
    const cosLat = Math.cos(point.lat * rad);
    vectors[index * 3] = cosLat * Math.cos(point.lon * rad);
    vectors[index * 3 + 1] = cosLat * Math.sin(point.lon * rad);
    vectors[index * 3 + 2] = Math.sin(point.lat * rad);
    if (index > 0) metresAt[index] = metresAt[index - 1]! + angleRad(vectors, index - 1) * EARTH_RADIUS_M;
  }
  return { vectors, metresAt };
}

/** The point `distance` metres along the path, clamped to its start and end. */
export function pointAlong(path: Path, distance: number): LonLat {
  const { vectors, metresAt } = path;
  let low = 0;
  let high = metresAt.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (metresAt[middle]! <= distance) low = middle;
    else high = middle - 1;
  }
  const legM = metresAt[low + 1]! - metresAt[low]!;
  const part = legM > 0 ? Math.min(1, Math.max(0, (distance - metresAt[low]!) / legM)) : 0;
  const angle = legM / EARTH_RADIUS_M;
  const isChord = angle < CHORD_ANGLE_RAD;
  const before = isChord ? 1 - part : Math.sin((1 - part) * angle);
  const after = isChord ? part : Math.sin(part * angle);
  const at = low * 3;
  const x = before * vectors[at]! + after * vectors[at + 3]!;
  const y = before * vectors[at + 1]! + after * vectors[at + 4]!;
  const z = before * vectors[at + 2]! + after * vectors[at + 5]!;
  return { lon: wrapLongitude(Math.atan2(y, x) / rad), lat: Math.atan2(z, Math.sqrt(x * x + y * y)) / rad };
}

function angleRad(vectors: Float64Array, index: number): number {
  const at = index * 3;
  const dx = vectors[at + 3]! - vectors[at]!;
  const dy = vectors[at + 4]! - vectors[at + 1]!;
  const dz = vectors[at + 5]! - vectors[at + 2]!;
  return 2 * Math.asin(Math.min(1, Math.sqrt(dx * dx + dy * dy + dz * dz) / 2));
}
