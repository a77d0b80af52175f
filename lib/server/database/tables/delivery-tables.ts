import 'server-only';
import type { DestinationKind } from '#lib/api/outputs/destination-kinds.ts';

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
