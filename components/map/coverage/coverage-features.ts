import type { CoverageAnswer, Look } from '#lib/api/overview.ts';
import { type Counted, cellRates, rateSteps, shadeOf, stepOf } from '#lib/client/overview/coverage-rates.ts';

interface CellProperties {
  readonly index: number;
  readonly look: Look;
  /** Of the colour; -1: received, without a rate. */
  readonly shade: number;
}

export type CoverageFeatures = GeoJSON.FeatureCollection<GeoJSON.Polygon, CellProperties>;

export function coverageFeatures({ cells, cell_deg }: CoverageAnswer, counted: Counted): CoverageFeatures {
  const rates = cellRates(cells, counted);
  const steps = rateSteps(rates.flatMap(({ perHour }) => perHour ?? []));
  const features = rates.flatMap(({ look, perHour }, index): CoverageFeatures['features'] => {
    if (look === 'not_watched') return [];
    const [west, south] = [(cells.column[index] ?? 0) * cell_deg - 180, (cells.row[index] ?? 0) * cell_deg - 90];
    const [east, north] = [west + cell_deg, south + cell_deg];
    const ring = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ];
    const shade = perHour === undefined ? -1 : shadeOf(stepOf(steps, perHour), steps);
    return [
      {
        type: 'Feature',
        properties: { index, look, shade },
        geometry: { type: 'Polygon', coordinates: [ring] },
      },
    ];
  });
  return { type: 'FeatureCollection', features };
}
