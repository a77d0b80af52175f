import 'server-only';

/** The tables of incidents, owned by lib/server/incidents. Names of people are those of that time. */
export interface IncidentTables {
  readonly incident: {
    readonly id: string;
    /** Of the opening, UTC. */
    readonly year: number;
    /** Of the year, never used again. */
    readonly number: number;
    readonly revision: number;
    /** `deleted`: its number alone is left. */
    readonly state: 'open' | 'closed' | 'sealed' | 'deleted';
    readonly title: string;
    readonly from_ms: number;
    /** null: it runs. */
    readonly to_ms: number | null;
    readonly zone_id: string | null;
    readonly zone_revision: number | null;
    readonly zone_name: string | null;
    /** JSON of the shape and the landmark. */
    readonly area: string;
    /** The layers, separated by commas. */
    readonly layers: string;
    readonly opened_by: string;
    readonly opened_ms: number;
    readonly closed_by: string | null;
    readonly closed_ms: number | null;
    /** Of its pieces in `incident_piece`. */
    readonly kept_id: string | null;
    readonly kept_positions: number | null;
    readonly kept_bytes: number | null;
    readonly sealed_by: string | null;
    readonly sealed_ms: number | null;
    /** Of its file in `incident_piece`. */
    readonly file_id: string | null;
    /** Of the file's `SHA256SUMS`. */
    readonly file_sha256: string | null;
    readonly file_bytes: number | null;
  };
  /** Added, and never changed. Numbered from 1. */
  readonly incident_note: {
    readonly id: string;
    readonly incident_id: string;
    readonly number: number;
    readonly kind: string;
    readonly text: string;
    readonly at_ms: number;
    /** JSON */
    readonly lon_lat: string | null;
    /** The id of an earlier note. */
    readonly corrects: string | null;
    /** JSON of a sighting and its check. */
    readonly sighting: string | null;
    readonly written_by: string;
    readonly written_ms: number;
  };
  /** Alarms and tracks that a person added. */
  readonly incident_pin: {
    readonly incident_id: string;
    readonly kind: 'alarm' | 'track';
    /** The alarm's id, or the track's reference. */
    readonly pinned: string;
    readonly remark: string;
    readonly pinned_by: string;
    readonly pinned_ms: number;
  };
  /** Bytes of what was kept or sealed, in order. Pieces that no incident names are what an interrupted run left. */
  readonly incident_piece: {
    /** `kept_id` or `file_id` of an incident. */
    readonly whole_id: string;
    readonly number: number;
    /** Of the file that it is a part of. */
    readonly name: string;
    readonly body: Uint8Array;
    readonly written_ms: number;
  };
}
