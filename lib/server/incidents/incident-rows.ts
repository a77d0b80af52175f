import 'server-only';
import type { Selectable } from 'kysely';
import type { Incident, IncidentEntry } from '#lib/api/watching/incidents.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { nearestCopy, wrapLongitude } from '#lib/geo/longitude.ts';
import { incidentNumber } from '#lib/incidents/inside.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { isoTime, isoTimeOrNull } from '#lib/time/instant.ts';
import { shapeBox, shapeCentre } from '#lib/zones/shape-box.ts';
import { type Landmark, shapeSchema, type ZoneShape } from '#lib/zones/zone.ts';
import type { Tables } from '../database/tables.ts';

export type IncidentRow = Selectable<Tables['incident']>;

/** An incident's question, as its readers need it. */
export interface IncidentQuestion {
  readonly id: string;
  readonly layers: readonly Layer[];
  readonly shape: ZoneShape;
  /** The area and what is around it. */
  readonly bbox: Bbox;
  /** The zone's landmark, or else the middle of the area. */
  readonly about: LonLat;
  readonly fromMs: number;
  /** `undefined`: it runs. */
  readonly toMs: number | undefined;
  readonly zoneId: string | undefined;
}

/** Around the area: where a track came from, and where it went. */
const AROUND_M = 2000;

/** The box that is read and kept. */
export function keptBox(shape: ZoneShape): Bbox {
  return shapeBox(shape, AROUND_M);
}

function areaOfRow({ area }: IncidentRow): { readonly shape: ZoneShape; readonly landmark: Landmark } {
  const { shape, landmark } = JSON.parse(area) as { readonly shape: unknown; readonly landmark: Landmark };
  return { shape: shapeSchema.parse(shape), landmark };
}

export function questionOf(row: IncidentRow): IncidentQuestion {
  const { shape, landmark } = areaOfRow(row);
  const [start, end = start] = landmark?.line ?? [];
  return {
    id: row.id,
    layers: LAYERS.filter((layer) => row.layers.split(',').includes(layer)),
    shape,
    bbox: keptBox(shape),
    about: start && end ? middleOf(start, end) : shapeCentre(shape),
    fromMs: row.from_ms,
    toMs: row.to_ms ?? undefined,
    zoneId: row.zone_id ?? undefined,
  };
}

function middleOf([lon, lat]: readonly [number, number], [otherLon, otherLat]: readonly [number, number]): LonLat {
  return { lon: wrapLongitude((lon + nearestCopy(otherLon, lon)) / 2), lat: (lat + otherLat) / 2 };
}

export function toIncident(row: IncidentRow, notes: number): Incident {
  const { zone_id, zone_name, zone_revision, closed_ms, kept_positions, sealed_ms, state } = row;
  if (state === 'deleted') throw new Error('a deleted incident is none');
  return {
    id: row.id,
    number: incidentNumber(row.year, row.number),
    revision: row.revision,
    title: row.title,
    state,
    from: isoTime(row.from_ms),
    to: isoTimeOrNull(row.to_ms),
    zone: zone_id === null ? null : { id: zone_id, name: zone_name ?? '', revision: zone_revision ?? 0 },
    shape: areaOfRow(row).shape,
    layers: [...questionOf(row).layers],
    opened: { by: row.opened_by, at: isoTime(row.opened_ms) },
    closed: closed_ms === null ? null : { by: row.closed_by ?? '', at: isoTime(closed_ms) },
    sealed:
      sealed_ms === null
        ? null
        : {
            by: row.sealed_by ?? '',
            at: isoTime(sealed_ms),
            sha256: row.file_sha256 ?? '',
            bytes: row.file_bytes ?? 0,
          },
    kept: kept_positions === null ? null : { positions: kept_positions, bytes: row.kept_bytes ?? 0 },
    notes,
  };
}

export function toEntry(row: Selectable<Tables['incident_note']>): IncidentEntry {
  const { sighting, check } = row.sighting === null ? { sighting: null, check: null } : JSON.parse(row.sighting);
  return {
    id: row.id,
    kind: row.kind as IncidentEntry['kind'],
    text: row.text,
    at: isoTime(row.at_ms),
    place: row.lon_lat === null ? null : JSON.parse(row.lon_lat),
    corrects: row.corrects,
    by: row.written_by,
    written_at: isoTime(row.written_ms),
    sighting,
    check,
  };
}
