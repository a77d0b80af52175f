import 'server-only';
import { type Kysely, sql } from 'kysely';
import type { MakesTables } from './table-form.ts';

/** Owned by `zones`. `owner` and `author` are operators' ids, and '' without sign-in. */
export interface ZoneTables {
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
    /** Read from history afterwards, or given up. */
    readonly made_up: 0 | 1;
  };
  readonly alarm: {
    /** Derived from the alarm's key: the same at every server, however often the same positions are read. */
    readonly id: string;
    /** As lib/zones names the alarm. */
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
    /** Number of that change. */
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
    /** Observed. */
    readonly at_ms: number;
    readonly change: number;
    /** An opening that no permit or acknowledgement covered, or an end that lasted. Later transitions follow it. */
    readonly announced: 0 | 1;
  };
  /** Requests of a day, UTC, that read for a zone what was not watched. */
  readonly zone_spent: { readonly zone_id: string; readonly day: string; readonly requests: number };
  /** One row: counts changes of alarms in the order of their commits. */
  readonly alarm_change: { readonly id: 1; readonly number: number };
  /** Up to where an operator has seen what happened. */
  readonly seen_to: { readonly owner: string; readonly until_ms: number };
  /** When pages of an operator received alarms, in upstream time. Stretches of several servers may overlap. */
  readonly presence: {
    readonly owner: string;
    readonly name: string;
    readonly from_ms: number;
    readonly to_ms: number;
  };
}

export const makesZoneTables: MakesTables = ({ text, integer, end }) => [
  `create table zone (
    id ${text} primary key,
    owner ${text} not null,
    name ${text} not null,
    revision ${integer} not null
  ) ${end}`,
  'create unique index zone_owner on zone (owner, name)',
  `create table zone_revision (
    zone_id ${text} not null,
    revision ${integer} not null,
    owner ${text} not null,
    owner_name ${text} not null,
    name ${text} not null,
    shared ${integer} not null,
    content ${text} not null,
    removed ${integer} not null,
    author ${text} not null,
    author_name ${text} not null,
    at_ms ${integer} not null,
    primary key (zone_id, revision)
  ) ${end}`,
  `create table zone_stretch (
    zone_id ${text} not null,
    layer ${text} not null,
    from_ms ${integer} not null,
    to_ms ${integer} not null,
    state ${text} not null,
    reason ${text},
    made_up ${integer} not null,
    primary key (zone_id, layer, from_ms)
  ) ${end}`,
  'create index zone_stretch_from on zone_stretch (from_ms)',
  `create table alarm (
    id ${text} primary key,
    key ${text} not null,
    zone_id ${text} not null,
    zone_revision ${integer} not null,
    rule_id ${text} not null,
    layer ${text} not null,
    ref ${text},
    other ${text},
    kind ${text} not null,
    opened_ms ${integer} not null,
    decided_ms ${integer} not null,
    state ${text} not null,
    unknown_since_ms ${integer},
    ended_ms ${integer},
    ended ${text},
    count ${integer} not null,
    found_later_ms ${integer},
    height_unknown ${integer} not null,
    simulated ${integer} not null,
    test ${integer} not null,
    perhaps_same_as ${text},
    expected ${integer} not null,
    acknowledged_by ${text},
    acknowledged_ms ${integer},
    acknowledged_until_ms ${integer},
    acknowledged_comment ${text},
    closed_by ${text},
    closed_ms ${integer},
    closed_as ${text},
    closed_comment ${text},
    evidence ${text} not null,
    changed_ms ${integer} not null,
    change ${integer} not null
  ) ${end}`,
  'create index alarm_changed on alarm (change)',
  'create index alarm_opened on alarm (opened_ms)',
  'create index alarm_zone on alarm (zone_id, opened_ms)',
  "create index alarm_open on alarm (zone_id) where state <> 'ended'",
  'create index alarm_acknowledged on alarm (acknowledged_until_ms)',
  `create table alarm_state (key ${text} primary key, state ${text} not null) ${end}`,
  `create table alarm_outbox (
    alarm_id ${text} not null,
    type ${text} not null,
    at_ms ${integer} not null,
    change ${integer} not null,
    announced ${integer} not null,
    primary key (alarm_id, type, at_ms)
  ) ${end}`,
  'create index alarm_outbox_change on alarm_outbox (change)',
  `create table zone_spent (
    zone_id ${text} not null,
    day ${text} not null,
    requests ${integer} not null,
    primary key (zone_id, day)
  ) ${end}`,
  `create table alarm_change (id ${integer} primary key, number ${integer} not null) ${end}`,
  'insert into alarm_change values (1, 0)',
  `create table seen_to (owner ${text} primary key, until_ms ${integer} not null) ${end}`,
  `create table presence (
    owner ${text} not null,
    name ${text} not null,
    from_ms ${integer} not null,
    to_ms ${integer} not null,
    primary key (owner, from_ms)
  ) ${end}`,
];

/** The log is read in order of opening and id, of all zones or one. */
export const makesPlacesInLog: MakesTables = () => [
  'drop index alarm_opened',
  'drop index alarm_zone',
  'create index alarm_opened on alarm (opened_ms, id)',
  'create index alarm_zone on alarm (zone_id, opened_ms, id)',
];

/** Acknowledgements and closings that alarms have already are their first notes. */
export const makesAlarmNotes: MakesTables = ({ text, integer, end }) => [
  `create table alarm_note (
    alarm_id ${text} not null,
    number ${integer} not null,
    kind ${text} not null,
    operator ${text} not null,
    at_ms ${integer} not null,
    until_ms ${integer},
    closed_as ${text},
    comment ${text} not null,
    primary key (alarm_id, number)
  ) ${end}`,
  `alter table alarm add column revision ${integer} not null default 0`,
  `insert into alarm_note (alarm_id, number, kind, operator, at_ms, until_ms, closed_as, comment)
    select id, 1, 'acknowledged', acknowledged_by, acknowledged_ms, acknowledged_until_ms, null,
      coalesce(acknowledged_comment, '')
    from alarm where acknowledged_by is not null`,
  `insert into alarm_note (alarm_id, number, kind, operator, at_ms, until_ms, closed_as, comment)
    select id, case when acknowledged_by is null then 1 else 2 end, 'closed', closed_by, closed_ms, null, closed_as,
      coalesce(closed_comment, '')
    from alarm where closed_by is not null`,
  `update alarm set revision = (select count(*) from alarm_note where alarm_note.alarm_id = alarm.id)
    where acknowledged_by is not null or closed_by is not null`,
];

export const makesZoneBodies: MakesTables = ({ text, integer, end }) => [
  `create table zone_body (id ${text} primary key, body ${text} not null) ${end}`,
  `alter table zone_revision add column body_id ${text} not null default ''`,
  `create table stored_level (
    operator ${text} not null,
    kind ${text} not null,
    bytes ${integer} not null,
    at_ms ${integer} not null,
    primary key (operator, kind)
  ) ${end}`,
];

/** Moves shape and source out of the content of revisions that an earlier build wrote. */
export async function splitZoneContents(db: Kysely<unknown>): Promise<void> {
  type Row = { readonly zone_id: string; readonly revision: number; readonly content: string };
  for (;;) {
    const { rows } = await sql<Row>`
      select zone_id, revision, content from zone_revision where body_id = '' limit 100`.execute(db);
    if (rows.length === 0) return;
    for (const { zone_id, revision, content } of rows) {
      const { shape, source = null, ...rest } = JSON.parse(content) as Readonly<Record<string, unknown>>;
      const id = `${zone_id} ${revision}`;
      await sql`insert into zone_body (id, body) values (${id}, ${JSON.stringify({ shape, source })})`.execute(db);
      await sql`update zone_revision set body_id = ${id}, content = ${JSON.stringify(rest)}
        where zone_id = ${zone_id} and revision = ${revision}`.execute(db);
    }
  }
}
