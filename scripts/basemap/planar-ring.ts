export type RingPoint = readonly [number, number];

/** First position equals last; -180 to 180 degrees. */
export type Ring = readonly RingPoint[];

/** Square degrees; negative if clockwise with north up. */
export function signedArea(ring: Ring): number {
  let doubled = 0;
  for (let i = 1; i < ring.length; i++) {
    const [fromLon, fromLat] = ring[i - 1]!;
    const [toLon, toLat] = ring[i]!;
    doubled += fromLon * toLat - toLon * fromLat;
  }
  return doubled / 2;
}

/** Accurate to a percent or two for rings of a few degrees. */
export function approximateAreaKm2(ring: Ring): number {
  const kmPerDeg = 111.2;
  const [, lat] = ring[0]!;
  return Math.abs(signedArea(ring)) * kmPerDeg * kmPerDeg * Math.cos((lat * Math.PI) / 180);
}

/** Points on the edge may go either way. */
export function ringContains(ring: Ring, [lon, lat]: RingPoint): boolean {
  let inside = false;
  for (let i = 1; i < ring.length; i++) {
    const [fromLon, fromLat] = ring[i - 1]!;
    const [toLon, toLat] = ring[i]!;
    if (fromLat > lat === toLat > lat) continue;
    if (lon < fromLon + ((lat - fromLat) / (toLat - fromLat)) * (toLon - fromLon)) inside = !inside;
  }
  return inside;
}

/** No step spans more than 180°. */
export function staysOnOneSide(path: readonly RingPoint[]): boolean {
  return path.every(([lon], i) => i === 0 || Math.abs(lon - path[i - 1]![0]) <= 180);
}
