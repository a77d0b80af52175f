import 'server-only';
import type { Tables } from '../database/tables.ts';

export type TableName = keyof Tables | 'migration' | 'migration_lock';

interface Decision {
  readonly carried: boolean;
  readonly because: string;
}
const carried = (because: string): Decision => ({ carried: true, because });
const left = (because: string): Decision => ({ carried: false, because });

/** A table that others refer to by a foreign key comes before them. */
export const MOVED_TABLES: Readonly<Record<TableName, Decision>> = {
  operator: carried('operators, their roles and passwords'),
  passkey: carried('passkeys of operators'),
  passkey_count: carried('uses of passkeys: a copied passkey is noticed by a count that is too low'),
  session: carried('operators stay signed in'),
  secret: carried('the keys that sign sessions'),
  short_lived: carried('an answered challenge must not be answered a second time'),
  tally: carried('failed sign-ins: a move must not give an attacker new tries'),
  read_token: carried('tokens of programs and readers'),

  view: carried('saved views'),
  start_view: carried('the view with which an operator starts'),
  overlay: carried('overlays'),

  zone: carried('zones'),
  zone_revision: carried('earlier states of zones, which alarms and replays name'),
  zone_body: carried('shapes and sources of zones'),
  permit: carried('permits of zones'),
  zone_stretch: carried('when zones were watched'),
  zone_spent: carried('requests of the account for zones today'),
  stored_level: carried('the day’s room of operators for new rows'),
  alarm: carried('alarms'),
  alarm_note: carried('answers of operators to alarms'),
  alarm_state: carried('the evaluation continues, and opens no alarm twice'),
  alarm_outbox: carried('changes of alarms, of which notices are made'),
  alarm_change: carried('the number of the last change, from which pages and the outbox continue'),
  seen_to: carried('up to where operators have seen what happened'),
  hand_over_note: carried('notes for the next shift'),
  hand_over_read: carried('which operators have read a note for the next shift'),
  incident: carried('incidents'),
  incident_note: carried('notes of incidents'),
  incident_pin: carried('alarms and tracks that people added to incidents'),
  incident_piece: carried('what closed incidents keep, and sealed files'),
  presence: carried('when pages of operators were open'),

  destination: carried('destinations with their secrets'),
  destination_health: carried('problems of destinations, and their next try'),
  notice_budget: carried('notices of destinations this hour'),
  delivery: carried('notices that wait, and those that arrived'),
  delivery_alarm: carried('the alarms of notices'),
  later_notice: carried('escalations that are due later'),
  push_subscription: carried('browsers that receive alarms by push'),
  delivery_cursor: carried('up to where notices were made: without it every alarm would be announced again'),

  ledger: carried('requests that the account has spent: without it the account would be overspent'),
  spent: carried('shares of operators that are spent today'),
  demand_profile: carried('the usual demand of each hour, which paces the day'),
  part: carried('cached parts of the past, which the account has paid for'),
  overview_hour: carried('hours of the overview'),
  audit_event: carried('the audit log'),

  writer: left('the server that writes now: the fence of the next one is a later time'),
  writer_lease: left('the lease of a running server'),
  server: left('running servers'),
  server_ask: left('questions of running servers, open for seconds'),
  frame: left('frames of running servers, which the first refreshes replace'),
  live_plan: left('the plan of a running server, which is made again each second'),
  wanted_part: left('parts that running servers wait for'),
  answered_part: left('parts that running servers wait for'),
  move: left('states of each database by itself'),
  migration: left('made by the target’s own migrations; both must be the same'),
  migration_lock: left('made by the target’s own migrations'),
};

const NAMES = Object.keys(MOVED_TABLES) as readonly TableName[];
export const CARRIED_TABLES = NAMES.filter((name) => MOVED_TABLES[name].carried);
export const LEFT_TABLES = NAMES.filter((name) => !MOVED_TABLES[name].carried);
