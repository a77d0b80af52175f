import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { HEIGHT_BANDS } from '#lib/model/height-band.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { COUNTED, type Counted } from './coverage-rates.ts';

/** The choices of an operator in the overview, and the address that holds them. */
export const OVERVIEW_HOURS = [1, 24, 168, 720] as const;
export type OverviewSpanHours = (typeof OVERVIEW_HOURS)[number];

export interface CoverageChoice {
  readonly hours: OverviewSpanHours;
  readonly layer: Layer;
  /** `undefined` stands for all heights. */
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

/** The address of the overview page. Choices that it begins with are left out. */
export function overviewAddress({ hours, layer, band, counted, place }: OverviewChoice): string {
  const query = new URLSearchParams({
    ...(hours !== FIRST_COVERAGE.hours && { hours: String(hours) }),
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
  return {
    hours: of('hours', OVERVIEW_HOURS) ?? FIRST_COVERAGE.hours,
    layer,
    band: of(
      'band',
      HEIGHT_BANDS[layer].map(({ id }) => id),
    ),
    counted: of('counted', COUNTED) ?? FIRST_COVERAGE.counted,
    place: placeOf(query),
  };
}

function placeOf(query: URLSearchParams): OverviewPlace {
  const id = query.get('zone');
  if (id !== null && id !== '') return { kind: 'zone', id };
  const box = parseBbox(query.get('bbox') ?? '');
  return box.ok ? { kind: 'view', bbox: box.bbox } : { kind: 'everything' };
}
