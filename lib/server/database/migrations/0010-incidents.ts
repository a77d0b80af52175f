import 'server-only';
import type { Migration } from './migration.ts';

/** Incidents with their notes and pins, what closing keeps of them, and their sealed files. */
export const incidents: Migration = {
  name: '0010-incidents',
  statements: ({ text, integer, bytes, end }) => [
    `create table incident (
    id ${text} primary key,
    year ${integer} not null,
    number ${integer} not null,
    revision ${integer} not null,
    state ${text} not null,
    title ${text} not null,
    from_ms ${integer} not null,
    to_ms ${integer},
    zone_id ${text},
    zone_revision ${integer},
    zone_name ${text},
    area ${text} not null,
    layers ${text} not null,
    opened_by ${text} not null,
    opened_ms ${integer} not null,
    closed_by ${text},
    closed_ms ${integer},
    kept_id ${text},
    kept_positions ${integer},
    kept_bytes ${integer},
    sealed_by ${text},
    sealed_ms ${integer},
    file_id ${text},
    file_sha256 ${text},
    file_bytes ${integer}
  ) ${end}`,
    `create unique index incident_number on incident (year, number)`,
    `create table incident_note (
    id ${text} primary key,
    incident_id ${text} not null,
    number ${integer} not null,
    kind ${text} not null,
    text ${text} not null,
    at_ms ${integer} not null,
    lon_lat ${text},
    corrects ${text},
    sighting ${text},
    written_by ${text} not null,
    written_ms ${integer} not null
  ) ${end}`,
    `create unique index incident_note_number on incident_note (incident_id, number)`,
    `create table incident_pin (
    incident_id ${text} not null,
    kind ${text} not null,
    pinned ${text} not null,
    remark ${text} not null,
    pinned_by ${text} not null,
    pinned_ms ${integer} not null,
    primary key (incident_id, kind, pinned)
  ) ${end}`,
    `create table incident_piece (
    whole_id ${text} not null,
    number ${integer} not null,
    name ${text} not null,
    body ${bytes} not null,
    written_ms ${integer} not null,
    primary key (whole_id, number)
  ) ${end}`,
  ],
};
