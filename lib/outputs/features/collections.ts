import { RECEIVED_ONLY } from '#lib/api/outputs/output-note.ts';
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

interface Link {
  readonly href: string;
  readonly rel: string;
  readonly type: string;
  readonly title?: string;
}

export function link(href: string, rel: string, type = JSON_TYPE, title?: string): Link {
  return { href, rel, type, ...(title !== undefined && { title }) };
}

export const CONFORMANCE = {
  conformsTo: ['core', 'oas30', 'geojson'].map(
    (part) => `http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/${part}`,
  ),
};

/** @param base address of the landing page */
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

/** @param area of the token */
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
