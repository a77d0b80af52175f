/** A position in degrees: longitude, latitude. */
export type LonLat = readonly [number, number];

/** A closed ring (first position equals last) on the flat map from -180 to 180 degrees. */
export type Ring = readonly LonLat[];

/** Shoelace area in square degrees; negative if the ring is clockwise with north up. */
export function signedArea(ring: Ring): number {
  let doubled = 0;
  for (let i = 1; i < ring.length; i++) {
    const [fromLon, fromLat] = ring[i - 1]!;
    const [toLon, toLat] = ring[i]!;
    doubled += fromLon * toLat - toLon * fromLat;
  }
  return doubled / 2;
}

/** Area on the sphere in km², accurate to a percent or two for rings of a few degrees. */
export function approximateAreaKm2(ring: Ring): number {
  const kmPerDeg = 111.2;
  const [, lat] = ring[0]!;
  return Math.abs(signedArea(ring)) * kmPerDeg * kmPerDeg * Math.cos((lat * Math.PI) / 180);
}

/** Whether the point lies inside the ring (even-odd rule); points on the edge may go either way. */
export function ringContains(ring: Ring, [lon, lat]: LonLat): boolean {
  let inside = false;
  for (let i = 1; i < ring.length; i++) {
    const [fromLon, fromLat] = ring[i - 1]!;
    const [toLon, toLat] = ring[i]!;
    if (fromLat > lat === toLat > lat) continue;
    if (lon < fromLon + ((lat - fromLat) / (toLat - fromLat)) * (toLon - fromLon)) inside = !inside;
  }
  return inside;
}

/** Whether no step of the path spans more than 180° of longitude, so that it can be drawn flat without cutting. */
export function staysOnOneSide(path: readonly LonLat[]): boolean {
  return path.every(([lon], i) => i === 0 || Math.abs(lon - path[i - 1]![0]) <= 180);
}
