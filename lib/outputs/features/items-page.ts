import { GEOJSON_TYPE, link } from './collections.ts';
import type { Feature } from './feature-of.ts';

export interface ItemsPage {
  readonly features: readonly Feature[];
  /** `undefined` if counting takes more than a page. */
  readonly matched: number | undefined;
  /** `undefined` on the last page. */
  readonly next: string | undefined;
  /** Foreign members of the answer (RFC 7946, 6.1). */
  readonly coverage?: { readonly watched: readonly object[]; readonly not_watched: readonly object[] };
}

/** @param query of the request */
export function itemsAnswer(
  { features, matched, next, coverage }: ItemsPage,
  { address, query, at }: { readonly address: string; readonly query: URLSearchParams; readonly at: string },
) {
  const page = (parameters: URLSearchParams) => (parameters.size === 0 ? address : `${address}?${parameters}`);
  const following = new URLSearchParams(query);
  if (next !== undefined) following.set('next', next);
  return {
    type: 'FeatureCollection',
    timeStamp: at,
    ...(matched !== undefined && { numberMatched: matched }),
    numberReturned: features.length,
    links: [
      link(page(query), 'self', GEOJSON_TYPE),
      ...(next === undefined ? [] : [link(page(following), 'next', GEOJSON_TYPE)]),
      link(address.replace(/\/items$/, ''), 'collection'),
    ],
    ...coverage,
    features,
  };
}
