import { FEATURES_MAX } from '#lib/api/outputs/features-query.ts';
import type { Link } from '#lib/api/outputs/output-answers.ts';
import { RECEIVED_ONLY } from '#lib/api/outputs/read-token.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { corners } from '#lib/geo/corners.ts';

export const COLLECTION_IDS = ['zones', 'alarms', 'positions'] as const;
export type CollectionId = (typeof COLLECTION_IDS)[number];

const TEXTS: Readonly<Record<CollectionId, { readonly title: string; readonly description: string }>> = {
  zones: {
    title: 'Shared zones',
    description: `Zones that their owners share (without sign-in: all), as areas. watched says whether each is watched now. ${RECEIVED_ONLY}`,
  },
  alarms: {
    title: 'Alarms of shared zones',
    description: `By time of opening, at the last position that decided; without geometry if no position did. simulated and test mark alarms that are not real. A state of unknown means that the zone is not watched, or its rule failed. ${RECEIVED_ONLY}`,
  },
  positions: {
    title: 'Current positions',
    description: `The last position of each reference, as long as the map shows it. Answers list in watched which boxes were read within a minute, and in not_watched where no receiver delivers. References rotate: they identify no aircraft or drone. altitude_m has no stated datum. simulated and test_broadcast mark what is not real. ${RECEIVED_ONLY}`,
  },
};

const JSON_TYPE = 'application/json';
export const GEOJSON_TYPE = 'application/geo+json';
export const OPENAPI_TYPE = 'application/vnd.oai.openapi+json;version=3.0';

export function link(href: string, rel: string, type = JSON_TYPE, title?: string): Link {
  return { href, rel, type, ...(title !== undefined && { title }) };
}

export const CONFORMANCE = {
  conformsTo: ['core', 'oas30', 'geojson'].map(
    (part) => `http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/${part}`,
  ),
};

/** The landing page of OGC API Features 1.0. @param base address of the landing page */
export function landingPage(base: string) {
  return {
    title: 'Lookout',
    description: RECEIVED_ONLY,
    links: [
      link(base, 'self'),
      link(`${base}/api`, 'service-desc', OPENAPI_TYPE),
      link(`${base}/conformance`, 'conformance'),
      link(`${base}/collections`, 'data'),
    ],
  };
}

export function collections(base: string, area: Bbox | undefined) {
  return {
    links: [link(`${base}/collections`, 'self')],
    collections: COLLECTION_IDS.map((id) => collection(base, id, area)),
  };
}

/** @param area of the token: nothing outside is served */
export function collection(base: string, id: CollectionId, area: Bbox | undefined) {
  const address = `${base}/collections/${id}`;
  return {
    id,
    ...TEXTS[id],
    extent: { spatial: { bbox: [area ? corners(area) : [-180, -90, 180, 90]] } },
    itemType: 'feature',
    crs: ['http://www.opengis.net/def/crs/OGC/1.3/CRS84'],
    links: [link(address, 'self'), link(`${address}/items`, 'items', GEOJSON_TYPE, TEXTS[id].title)],
  };
}

const parameter = (name: string, schema: object, place: 'query' | 'path' = 'query') => ({
  name,
  in: place,
  required: place === 'path',
  schema,
  ...(place === 'query' && { style: 'form', explode: false }),
});
const COLLECTION = parameter('collection', { type: 'string', enum: COLLECTION_IDS }, 'path');
const get = (summary: string, type = 'application/json', parameters: readonly object[] = []) => ({
  get: {
    summary,
    parameters,
    responses: { 200: { description: summary, content: { [type]: { schema: { type: 'object' } } } } },
  },
});

/** OpenAPI 3.0: clients read the largest `limit` from it. */
export function openApi(base: string) {
  return {
    openapi: '3.0.3',
    info: { title: 'Lookout: features', version: '1', description: RECEIVED_ONLY },
    servers: [{ url: base }],
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/': get('Landing page'),
      '/conformance': get('Conformance classes'),
      '/collections': get('Collections'),
      '/collections/{collection}': get('A collection', undefined, [COLLECTION]),
      '/collections/{collection}/items': get('Features', GEOJSON_TYPE, [
        COLLECTION,
        parameter('limit', { type: 'integer', minimum: 1, maximum: FEATURES_MAX, default: 1000 }),
        parameter('bbox', { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 6 }),
        parameter('datetime', { type: 'string' }),
        parameter('next', { type: 'string' }),
      ]),
      '/collections/{collection}/items/{id}': get('A feature', GEOJSON_TYPE, [
        COLLECTION,
        parameter('id', { type: 'string' }, 'path'),
      ]),
    },
  };
}
