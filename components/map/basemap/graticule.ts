/** Steps are nested: each divides the one before. */
export const GRATICULE_STEPS = [
  { stepDeg: 30, minZoom: 0 },
  { stepDeg: 10, minZoom: 2.5 },
  { stepDeg: 5, minZoom: 4.5 },
  { stepDeg: 1, minZoom: 6 },
  { stepDeg: 0.5, minZoom: 8 },
  { stepDeg: 0.1, minZoom: 10 },
] as const;

export interface GraticuleLine {
  /** Least zoom of the coarsest step it belongs to. */
  readonly min_zoom: number;
  readonly label: string;
  readonly kind: 'meridian' | 'parallel';
}

/** Lines end before the edge of the square world, which is at 85.05°. */
const MAX_LAT_DEG = 85;

/** Integer tenths of a degree, so that finer steps meet coarser ones exactly. */
const TENTHS = 10;

export function graticule(): GeoJSON.FeatureCollection<GeoJSON.LineString, GraticuleLine> {
  const features: GeoJSON.Feature<GeoJSON.LineString, GraticuleLine>[] = [];
  for (let tenths = -180 * TENTHS; tenths < 180 * TENTHS; tenths++) {
    const deg = tenths / TENTHS;
    features.push(
      line('meridian', tenths, `${Math.abs(deg)}°${suffix(deg, 'E', 'W')}`, [
        [deg, -MAX_LAT_DEG],
        [deg, MAX_LAT_DEG],
      ]),
    );
  }
  for (let tenths = -MAX_LAT_DEG * TENTHS; tenths <= MAX_LAT_DEG * TENTHS; tenths++) {
    const deg = tenths / TENTHS;
    features.push(
      line('parallel', tenths, `${Math.abs(deg)}°${suffix(deg, 'N', 'S')}`, [
        [-180, deg],
        [180, deg],
      ]),
    );
  }
  return { type: 'FeatureCollection', features };
}

function line(
  kind: GraticuleLine['kind'],
  tenths: number,
  label: string,
  coordinates: GeoJSON.Position[],
): GeoJSON.Feature<GeoJSON.LineString, GraticuleLine> {
  const step = GRATICULE_STEPS.find(({ stepDeg }) => tenths % Math.round(stepDeg * TENTHS) === 0)!;
  return {
    type: 'Feature',
    properties: { min_zoom: step.minZoom, label, kind },
    geometry: { type: 'LineString', coordinates },
  };
}

function suffix(deg: number, positive: string, negative: string): string {
  if (deg === 0 || Math.abs(deg) === 180) return '';
  return deg > 0 ? positive : negative;
}
