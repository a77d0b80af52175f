import type { MeasuringReading, PlacedAnchor } from '#lib/client/measuring/measuring-reading.ts';
import { circlePoints, greatCirclePoints, mapLines } from '#lib/geo/geodesic-lines.ts';
import { destination, type LonLat } from '#lib/geo/great-circle.ts';
import { MERCATOR_MAX_LAT_DEG } from '#lib/geo/mercator.ts';
import { bearingText, DISTANCE_UNIT, distanceText, metresOf } from '#lib/model/distance-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';

export interface MeasuringProperties {
  readonly kind: 'leg' | 'ring' | 'point' | 'leg-label' | 'ring-label' | 'point-label';
  readonly text: string;
  readonly old: boolean;
}

type MeasuringFeature = GeoJSON.Feature<GeoJSON.MultiLineString | GeoJSON.Point, MeasuringProperties>;

export function measuringFeatures(
  { points, legs, ringCentres }: MeasuringReading,
  units: UnitSystem,
  radii: readonly number[],
): GeoJSON.FeatureCollection<GeoJSON.MultiLineString | GeoJSON.Point, MeasuringProperties> {
  const features: MeasuringFeature[] = [];
  for (const centre of ringCentres) addRings(features, centre, units, radii);
  for (const [index, { distanceM, bearingDeg }] of legs.entries()) {
    const [from, to] = [points[index], points[index + 1]];
    if (!from?.at || !to?.at || distanceM === undefined) continue;
    const way = greatCirclePoints(from.at, to.at);
    const old = isOld(from) || isOld(to);
    features.push(lines(way, { kind: 'leg', text: '', old }));
    if (bearingDeg === undefined) continue;
    const middle = way.length > 2 ? way[Math.floor(way.length / 2)] : destination(from.at, bearingDeg, distanceM / 2);
    const text = `${distanceText(units, distanceM)}\n${bearingText(bearingDeg)}`;
    if (middle) features.push(point(middle, { kind: 'leg-label', text, old }));
  }
  for (const [index, anchor] of points.entries()) {
    if (!anchor.at) continue;
    // A mark is its track's own symbol.
    if (anchor.ref === undefined) features.push(point(anchor.at, { kind: 'point', text: '', old: false }));
    features.push(point(anchor.at, { kind: 'point-label', text: String(index + 1), old: isOld(anchor) }));
  }
  return { type: 'FeatureCollection', features };
}

function addRings(
  features: MeasuringFeature[],
  centre: PlacedAnchor,
  units: UnitSystem,
  radii: readonly number[],
): void {
  if (!centre.at) return;
  const old = isOld(centre);
  if (centre.ref === undefined) features.push(point(centre.at, { kind: 'point', text: '', old }));
  for (const radius of radii) {
    const radiusM = metresOf(units, radius);
    features.push(lines(circlePoints(centre.at, radiusM), { kind: 'ring', text: '', old }));
    // At the ring's foot if its top is off the map or beyond the pole.
    const top = destination(centre.at, 0, radiusM);
    const label =
      top.lat > MERCATOR_MAX_LAT_DEG - 1 || top.lat < centre.at.lat ? destination(centre.at, 180, radiusM) : top;
    features.push(point(label, { kind: 'ring-label', text: `${radius} ${DISTANCE_UNIT[units]}`, old }));
  }
}

function isOld({ status }: PlacedAnchor): boolean {
  return status === 'expired' || status === 'ended';
}

function lines(points: readonly LonLat[], properties: MeasuringProperties): MeasuringFeature {
  return { type: 'Feature', properties, geometry: { type: 'MultiLineString', coordinates: mapLines(points) } };
}

function point({ lon, lat }: LonLat, properties: MeasuringProperties): MeasuringFeature {
  return { type: 'Feature', properties, geometry: { type: 'Point', coordinates: [lon, lat] } };
}
