import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { Counted } from './coverage-rates.ts';

export const OVERVIEW_HOURS = [1, 24, 168, 720] as const;
export type OverviewSpanHours = (typeof OVERVIEW_HOURS)[number];

export interface CoverageChoice {
  readonly hours: OverviewSpanHours;
  readonly layer: Layer;
  /** `undefined`: all heights. */
  readonly band: string | undefined;
  readonly counted: Counted;
}

export const FIRST_COVERAGE: CoverageChoice = { hours: 24, layer: 'rid', band: undefined, counted: 'references' };

export type OverviewPlace =
  | { readonly kind: 'everything' }
  | { readonly kind: 'view'; readonly bbox: Bbox }
  /** @param id of a zone */
  | { readonly kind: 'zone'; readonly id: string };

export interface OverviewChoice extends CoverageChoice {
  readonly place: OverviewPlace;
}
