import type { LiveRecord } from '#lib/api/live-answer.ts';
import type { CoverageNow, Feature } from '#lib/api/outputs/output-answers.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { WatchedNow, Zone } from '#lib/api/watching/zones.ts';
import { drawnGeometry } from '#lib/zones/formats/drawn-geometry.ts';
import { shapeOutline } from '#lib/zones/shape-outline.ts';
import { GEOJSON_TYPE, link } from './feature-documents.ts';

const feature = (id: string, geometry: Feature['geometry'], properties: Feature['properties']): Feature => ({
  type: 'Feature',
  id,
  geometry,
  properties,
});

/** A property of a position that was not reported is null. */
export function positionFeature(record: LiveRecord): Feature {
  const { longitude, latitude, stale_after = null, ...properties } = record;
  return feature(
    record.public_track_id,
    { type: 'Point', coordinates: [longitude, latitude] },
    { ...properties, stale_after },
  );
}

/** An alarm without names and comments of operators. */
export function alarmFeature(alarm: Alarm): Feature {
  const {
    id,
    zone,
    rule,
    other,
    acknowledged,
    closed,
    notes: _,
    revision: _1,
    evidence,
    found_later,
    ...properties
  } = alarm;
  const last = evidence.at(-1);
  return feature(id, last ? { type: 'Point', coordinates: [last.longitude, last.latitude] } : null, {
    zone: zone.name,
    zone_id: zone.id,
    zone_revision: zone.revision,
    rule: rule.kind,
    ...properties,
    other_track: other?.ref ?? null,
    found_later_s: found_later,
    acknowledged_at: acknowledged?.at ?? null,
    closed_at: closed?.at ?? null,
    closed_as: closed?.as ?? null,
    observed_at: last?.observed_at ?? null,
    altitude_m: last?.altitude_m ?? null,
    height_agl_m: last?.height_agl_m ?? null,
  });
}

/** Every shape as areas, since QGIS has one type of geometry a layer. */
export function zoneFeature(zone: Zone, watched: WatchedNow | null): Feature {
  const { shape, vertical } = zone;
  return feature(zone.id, zoneAreas(zone), {
    name: zone.name,
    revision: zone.revision,
    changed_at: zone.changed_at,
    shape: shape.type,
    radius_m: shape.type === 'Circle' ? shape.radius_m : null,
    half_width_m: shape.type === 'Corridor' ? shape.half_width_m : null,
    height_field: vertical?.field ?? null,
    floor_m: vertical?.floor_m ?? null,
    ceiling_m: vertical?.ceiling_m ?? null,
    unknown_height: vertical?.unknown ?? null,
    always: zone.hours === null,
    rules: zone.rules.map(({ kind }) => kind).join(','),
    watched: watched?.state ?? null,
    watched_since: watched?.since ?? null,
    watched_reason: watched?.reason ?? null,
  });
}

function zoneAreas({ shape }: Pick<Zone, 'shape'>): GeoJSON.MultiPolygon {
  const shapes =
    shape.type === 'Corridor'
      ? shapeOutline(shape).map((coordinates) => ({ type: 'Polygon' as const, coordinates }))
      : [shape];
  return {
    type: 'MultiPolygon',
    coordinates: shapes.map(drawnGeometry).flatMap((drawn) => {
      if (drawn.type === 'Polygon') return [drawn.coordinates];
      return drawn.type === 'MultiPolygon' ? drawn.coordinates : [];
    }),
  };
}

export interface ItemsPage {
  readonly features: readonly Feature[];
  /** `undefined` if counting takes more than a page. */
  readonly matched: number | undefined;
  /** `undefined` on the last page. */
  readonly next: string | undefined;
  /** Foreign members of the answer (RFC 7946, 6.1). */
  readonly coverage?: CoverageNow;
}

/** A page of features as GeoJSON, with the links of OGC API Features. @param query of the request */
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
