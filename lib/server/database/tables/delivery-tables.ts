import 'server-only';
import type { DestinationKind } from '#lib/api/outputs/destinations.ts';
import type { MakesTables } from './table-form.ts';

/** Owned by `delivery`. Times are the upstream's. */
export interface DeliveryTables {
  readonly destination: {
    readonly id: string;
    readonly revision: number;
    readonly name: string;
    readonly is_on: 0 | 1;
    readonly kind: DestinationKind;
    /** JSON, as `destinationConfigSchema` reads it. */
    readonly config: string;
    /** JSON array in clear text: each is needed to sign or to sign in. The newest first. */
    readonly secrets: string;
    readonly units: string;
    readonly time_zone: string;
    /** JSON array. */
    readonly announces: string;
    readonly group_s: number;
    readonly notices_an_hour: number | null;
    readonly switched_off_ms: number | null;
    readonly switched_off_reason: string | null;
    /** Its deliveries still name it. */
    readonly removed: 0 | 1;
  };
  /** Written by its queue. */
  readonly destination_health: {
    readonly destination_id: string;
    readonly problem_since_ms: number | null;
    readonly problem: string | null;
    readonly failures: number;
    readonly next_try_ms: number | null;
    readonly last_arrived_ms: number | null;
  };
  /** The budget of a destination. */
  readonly notice_budget: {
    readonly destination_id: string;
    readonly hour_ms: number;
    readonly used: number;
    /** '': none. */
    readonly summary_id: string;
  };
  readonly delivery: {
    readonly id: string;
    readonly destination_id: string;
    /** In the order in which they were made. */
    readonly number: number;
    readonly type: string;
    /** Notices with equal keys are grouped until `due_ms`. */
    readonly group_key: string;
    readonly state: string;
    readonly created_ms: number;
    readonly due_ms: number;
    /** The server failed at this notice: others are sent meanwhile. */
    readonly aside_until_ms: number | null;
    readonly arrived_ms: number | null;
    readonly tries: number;
    readonly problem: string | null;
  };
  readonly delivery_alarm: {
    readonly delivery_id: string;
    readonly alarm_id: string;
    /** In order of transitions. */
    readonly place: number;
  };
  /** Notices to be made later, unless an operator handles the alarm (`escalated`) or its track returns (`ended`). */
  readonly later_notice: {
    readonly alarm_id: string;
    readonly destination_id: string;
    readonly type: string;
    readonly due_ms: number;
  };
  /** One row: the last handled change of the outbox, and the number of deliveries. */
  readonly delivery_cursor: { readonly id: 1; readonly change: number; readonly made: number };
}

export const makesDeliveryTables: MakesTables = ({ text, integer, end }) => [
  `create table destination (
    id ${text} primary key,
    revision ${integer} not null,
    name ${text} not null,
    is_on ${integer} not null,
    kind ${text} not null,
    config ${text} not null,
    secrets ${text} not null,
    units ${text} not null,
    time_zone ${text} not null,
    announces ${text} not null,
    group_s ${integer} not null,
    notices_an_hour ${integer},
    switched_off_ms ${integer},
    switched_off_reason ${text},
    removed ${integer} not null
  ) ${end}`,
  'create unique index destination_name on destination (name) where removed = 0',
  `create table destination_health (
    destination_id ${text} primary key,
    problem_since_ms ${integer},
    problem ${text},
    failures ${integer} not null,
    next_try_ms ${integer},
    last_arrived_ms ${integer}
  ) ${end}`,
  `create table notice_budget (
    destination_id ${text} primary key,
    hour_ms ${integer} not null,
    used ${integer} not null,
    summary_id ${text} not null
  ) ${end}`,
  `create table delivery (
    id ${text} primary key,
    destination_id ${text} not null,
    number ${integer} not null,
    type ${text} not null,
    group_key ${text} not null,
    state ${text} not null,
    created_ms ${integer} not null,
    due_ms ${integer} not null,
    aside_until_ms ${integer},
    arrived_ms ${integer},
    tries ${integer} not null,
    problem ${text}
  ) ${end}`,
  "create index delivery_waiting on delivery (destination_id, due_ms, number) where state = 'waiting'",
  "create index delivery_given_up on delivery (destination_id) where state = 'given_up'",
  'create index delivery_made on delivery (destination_id, number)',
  'create index delivery_created on delivery (created_ms)',
  `create table delivery_alarm (
    delivery_id ${text} not null,
    alarm_id ${text} not null,
    place ${integer} not null,
    primary key (delivery_id, alarm_id)
  ) ${end}`,
  'create index delivery_alarm_alarm on delivery_alarm (alarm_id)',
  `create table escalation (
    alarm_id ${text} not null,
    destination_id ${text} not null,
    due_ms ${integer} not null,
    primary key (alarm_id, destination_id)
  ) ${end}`,
  'create index escalation_due on escalation (due_ms)',
  `create table delivery_cursor (
    id ${integer} primary key,
    change ${integer} not null,
    made ${integer} not null
  ) ${end}`,
  'insert into delivery_cursor values (1, 0, 0)',
];

/** Replaces `escalation`, and keeps what is due. */
export const makesLaterNotices: MakesTables = ({ text, integer, end }) => [
  `create table later_notice (
    alarm_id ${text} not null,
    destination_id ${text} not null,
    type ${text} not null,
    due_ms ${integer} not null,
    primary key (alarm_id, destination_id, type)
  ) ${end}`,
  'create index later_notice_due on later_notice (due_ms)',
  `insert into later_notice (alarm_id, destination_id, type, due_ms)
    select alarm_id, destination_id, 'escalated', due_ms from escalation`,
  'drop table escalation',
];
