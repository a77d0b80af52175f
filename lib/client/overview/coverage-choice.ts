import { TIMES_OF_DAY, type TimesOfDay } from '#lib/api/overview.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { heightBandsOf } from '#lib/model/height-band.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { COVERED, type Covered } from './coverage-rates.ts';

/** The choices of an operator in the overview, and the address that holds them. Spans are in hours. */
export const OVERVIEW_SPANS = [1, 24, 168, 720] as const;
export type OverviewSpan = (typeof OVERVIEW_SPANS)[number];

export interface CoverageChoice {
  readonly span: OverviewSpan;
  /** Nights or working hours alone, as many as the span has days. `undefined` stands for all hours. */
  readonly times: TimesOfDay | undefined;
  readonly layer: Layer;
  /** Ids of height bands, separated by commas, which are added up. `undefined` stands for all heights. */
  readonly band: string | undefined;
  readonly counted: Covered;
}

export const FIRST_COVERAGE: CoverageChoice = {
  span: 24,
  times: undefined,
  layer: 'rid',
  band: undefined,
  counted: 'references',
};

export type OverviewPlace =
  | { readonly kind: 'everything' }
  | { readonly kind: 'view'; readonly bbox: Bbox }
  /** @param id of a zone */
  | { readonly kind: 'zone'; readonly id: string };

export interface OverviewChoice extends CoverageChoice {
  readonly place: OverviewPlace;
}

/** The address of the overview page. Choices that it begins with are left out. */
export function overviewAddress({ span, times, layer, band, counted, place }: OverviewChoice): string {
  const query = new URLSearchParams({
    ...(span !== FIRST_COVERAGE.span && { hours: String(span) }),
    ...(times !== undefined && { times }),
    ...(layer !== FIRST_COVERAGE.layer && { layer }),
    ...(band !== undefined && { band }),
    ...(counted !== FIRST_COVERAGE.counted && { counted }),
    ...(place.kind === 'view' && { bbox: formatBbox(place.bbox) }),
    ...(place.kind === 'zone' && { zone: place.id }),
  });
  return query.size === 0 ? '/overview' : `/overview?${query}`;
}

/** The choices in an address. Unreadable ones are ignored. @param search such as `?hours=720&zone=…` */
export function overviewChoiceOf(search: string): OverviewChoice {
  const query = new URLSearchParams(search);
  const of = <Choice>(name: string, choices: readonly Choice[]) =>
    choices.find((each) => String(each) === query.get(name));
  const layer = of('layer', LAYERS) ?? FIRST_COVERAGE.layer;
  const band = query.get('band') ?? '';
  return {
    span: of('hours', OVERVIEW_SPANS) ?? FIRST_COVERAGE.span,
    times: of('times', TIMES_OF_DAY),
    layer,
    band: heightBandsOf(layer, band) ? band : undefined,
    counted: of('counted', COVERED) ?? FIRST_COVERAGE.counted,
    place: placeOf(query),
  };
}

function placeOf(query: URLSearchParams): OverviewPlace {
  const id = query.get('zone');
  if (id !== null && id !== '') return { kind: 'zone', id };
  const box = parseBbox(query.get('bbox') ?? '');
  return box.ok ? { kind: 'view', bbox: box.bbox } : { kind: 'everything' };
}
