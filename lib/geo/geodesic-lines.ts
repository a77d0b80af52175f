import { distanceM, EARTH_RADIUS_M, type LonLat } from './great-circle.ts';
import { nearestCopy } from './longitude.ts';
import { MERCATOR_MAX_LAT_DEG } from './mercator.ts';

const RAD = Math.PI / 180;

const STEP_M = 10_000;
const MAX_STEPS = 512;
/** The sides are 0.02 % of the radius closer to the middle. */
const CIRCLE_STEPS = 180;

/** Opposite places have no single great circle: the line has only its ends. */
export function greatCirclePoints(from: LonLat, to: LonLat): LonLat[] {
  const lengthM = distanceM(from, to);
  const angle = lengthM / EARTH_RADIUS_M;
  const steps = Math.max(1, Math.min(MAX_STEPS, Math.ceil(lengthM / STEP_M)));
  const sine = Math.sin(angle);
  if (sine < 1e-9) return [from, to];
  const [start, end] = [direction(from), direction(to)];
  const between = Array.from({ length: steps - 1 }, (_, index) => {
    const part = (index + 1) / steps;
    return placeOf(combined(Math.sin((1 - part) * angle) / sine, start, Math.sin(part * angle) / sine, end));
  });
  return [from, ...between, to];
}

/** The closed ring runs clockwise from north. */
export function circlePoints(middle: LonLat, radiusM: number): LonLat[] {
  const angle = radiusM / EARTH_RADIUS_M;
  const up = direction(middle);
  const [lon, lat] = [middle.lon * RAD, middle.lat * RAD];
  const north: Vector = [-Math.sin(lat) * Math.cos(lon), -Math.sin(lat) * Math.sin(lon), Math.cos(lat)];
  const east: Vector = [-Math.sin(lon), Math.cos(lon), 0];
  return Array.from({ length: CIRCLE_STEPS + 1 }, (_, step) => {
    const course = ((step % CIRCLE_STEPS) * 2 * Math.PI) / CIRCLE_STEPS;
    return placeOf(
      combined(Math.cos(angle), up, Math.sin(angle), combined(Math.cos(course), north, Math.sin(course), east)),
    );
  });
}

/** Vectors are exact near the poles, unlike angles. */
type Vector = readonly [number, number, number];

function direction({ lon, lat }: LonLat): Vector {
  const around = Math.cos(lat * RAD);
  return [around * Math.cos(lon * RAD), around * Math.sin(lon * RAD), Math.sin(lat * RAD)];
}

function combined(part: number, [x, y, z]: Vector, otherPart: number, [otherX, otherY, otherZ]: Vector): Vector {
  return [part * x + otherPart * otherX, part * y + otherPart * otherY, part * z + otherPart * otherZ];
}

function placeOf([x, y, z]: Vector): LonLat {
  return { lon: Math.atan2(y, x) / RAD, lat: Math.atan2(z, Math.hypot(x, y)) / RAD };
}

/** Longitudes run on past 180°. Leaves out points beyond the map's northern and southern edge. */
export function mapLines(points: readonly LonLat[]): [number, number][][] {
  const lines: [number, number][][] = [];
  let line: [number, number][] = [];
  let lon = points[0]?.lon ?? 0;
  for (const point of points) {
    lon = nearestCopy(point.lon, lon);
    if (Math.abs(point.lat) <= MERCATOR_MAX_LAT_DEG) line.push([lon, point.lat]);
    else {
      if (line.length > 1) lines.push(line);
      line = [];
    }
  }
  if (line.length > 1) lines.push(line);
  return lines;
}
