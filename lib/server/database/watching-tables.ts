import 'server-only';

/** Tables of zones, alarms and incidents. `owner` and `author` are operators’ ids, and '' without sign-in. */
export interface WatchingTables {
  // Owned by lib/server/zones.
  /** The zones that are watched now. */
  readonly zone: {
    readonly id: string;
    readonly owner: string;
    readonly name: string;
    /** The latest row of `zone_revision`. */
    readonly revision: number;
  };
  /** Every state that a zone had. It outlives the zone: alarms name it, and a replay shows it. */
  readonly zone_revision: {
    readonly zone_id: string;
    readonly revision: number;
    readonly owner: string;
    /** The name that other operators see. */
    readonly owner_name: string;
    readonly name: string;
    readonly shared: 0 | 1;
    /** JSON, as `zoneContentSchema` reads it, without what `zone_body` has. */
    readonly content: string;
    readonly body_id: string;
    /** The zone ended with this revision. */
    readonly removed: 0 | 1;
    readonly author: string;
    readonly author_name: string;
    readonly at_ms: number;
  };
  /** Permits of zones, owned by `permits`. An ended one is kept as long as alarms are. */
  readonly permit: {
    readonly id: string;
    readonly zone_id: string;
    readonly revision: number;
    readonly name: string;
    /** JSON of layers, track, shape and heights, as `permitTerms` reads them. */
    readonly terms: string;
    /** The upstream’s time, as `end_ms`, which is exclusive. */
    readonly start_ms: number;
    readonly end_ms: number;
    /** The name that other operators see; '' without sign-in. */
    readonly made_by: string;
    readonly made_ms: number;
    readonly changed_by: string | null;
    readonly changed_ms: number | null;
    /** Where an operator ended it before `end_ms`. */
    readonly ended_by: string | null;
    readonly ended_ms: number | null;
    /** Since when positions are compared with its terms; null: no flight is expected. */
    readonly flight_since_ms: number | null;
    /** When the first position of the flight was observed. */
    readonly received_ms: number | null;
    /** When it is decided whether the flight was received; null: there is nothing to decide, any more. */
    readonly flight_due_ms: number | null;
    /** JSON of how much of a flight that was not received was watched; null before the decision. */
    readonly watched: string | null;
  };
  /** Shape and source of revisions, which share them while they stay the same. */
  readonly zone_body: { readonly id: string; readonly body: string };
  /** How much of a day’s budget an operator has used, as of `at_ms`. */
  readonly stored_level: {
    readonly operator: string;
    readonly kind: string;
    readonly bytes: number;
    readonly at_ms: number;
  };
  /** When a layer of a zone was watched, in upstream time. Stretches of one zone and layer do not overlap. */
  readonly zone_stretch: {
    readonly zone_id: string;
    readonly layer: string;
    readonly from_ms: number;
    readonly to_ms: number;
    readonly state: string;
    readonly reason: string | null;
    /** Whether it was read from history afterwards, or given up. */
    readonly made_up: 0 | 1;
  };
  readonly alarm: {
    /** It is derived from the alarm's key: the same at every server, however often the same positions are read. */
    readonly id: string;
    /** The alarm's name in lib/zones. */
    readonly key: string;
    readonly zone_id: string;
    readonly zone_revision: number;
    readonly rule_id: string;
    readonly layer: string;
    readonly ref: string | null;
    /** JSON of the second track. */
    readonly other: string | null;
    readonly kind: string;
    readonly opened_ms: number;
    readonly decided_ms: number;
    readonly state: string;
    readonly unknown_since_ms: number | null;
    readonly ended_ms: number | null;
    readonly ended: string | null;
    readonly count: number;
    readonly found_later_ms: number | null;
    readonly height_unknown: 0 | 1;
    readonly simulated: 0 | 1;
    readonly test: 0 | 1;
    readonly perhaps_same_as: string | null;
    readonly expected: 0 | 1;
    readonly acknowledged_by: string | null;
    readonly acknowledged_ms: number | null;
    readonly acknowledged_until_ms: number | null;
    readonly acknowledged_comment: string | null;
    readonly closed_by: string | null;
    readonly closed_ms: number | null;
    readonly closed_as: string | null;
    readonly closed_comment: string | null;
    /** JSON of the positions that decided. */
    readonly evidence: string;
    /** When the row was written last, by the upstream's clock. */
    readonly changed_ms: number;
    /** The number of the latest change. */
    readonly change: number;
    /** Number of its rows in `alarm_note`. */
    readonly revision: number;
  };
  /** Answers of operators, which are added and never changed. Numbered from 1. */
  readonly alarm_note: {
    readonly alarm_id: string;
    readonly number: number;
    readonly kind: string;
    readonly operator: string;
    readonly at_ms: number;
    readonly until_ms: number | null;
    readonly closed_as: string | null;
    readonly comment: string;
  };
  /** State of the evaluation, as lib/zones writes it. */
  readonly alarm_state: { readonly key: string; readonly state: string };
  /** A row for each transition: no two servers write the same one. */
  readonly alarm_outbox: {
    readonly alarm_id: string;
    readonly type: string;
    /** The observed time of the transition. */
    readonly at_ms: number;
    readonly change: number;
    /**
     * Whether it is an opening that no permit or acknowledgement covered, or an end that lasted. Later transitions
     * follow it.
     */
    readonly announced: 0 | 1;
  };
  /** Requests of a day, UTC, that read for a zone what was not watched. */
  readonly zone_spent: { readonly zone_id: string; readonly day: string; readonly requests: number };
  /** One row: counts changes of alarms in the order of their commits. */
  readonly alarm_change: { readonly id: 1; readonly number: number };
  /** An operator has seen what happened up to this time. */
  readonly seen_to: { readonly owner: string; readonly until_ms: number };
  /** When pages of an operator received alarms, in upstream time. Stretches of several servers may overlap. */
  readonly presence: {
    readonly owner: string;
    readonly name: string;
    readonly from_ms: number;
    readonly to_ms: number;
  };
  /** Written for the next shift, owned by `zones`. `owner` and `author` are operators’ ids, and '' without sign-in. */
  readonly hand_over_note: {
    readonly id: string;
    readonly note: string;
    readonly author: string;
    readonly author_name: string;
    readonly at_ms: number;
  };
  /** Operators who have marked a note as read. */
  readonly hand_over_read: {
    readonly note_id: string;
    readonly owner: string;
    readonly name: string;
    readonly at_ms: number;
  };

  // Owned by lib/server/incidents. Names of people are those of that time.
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
