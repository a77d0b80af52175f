import 'server-only';
import type { Kysely, Transaction } from 'kysely';
import type { DestinationKind } from '#lib/api/outputs/destination-kinds.ts';
import type { Role } from '#lib/api/people/permission.ts';
import type { WatchingTables } from './watching-tables.ts';

/**
 * Every table and its columns, as the migrations make them: text, integer (int8 in PostgreSQL) or bytes. Instants are
 * milliseconds since 1970, and comments name the clock where it is not this server's.
 */
export interface Tables extends WatchingTables {
  // Sign-in. Names of any origin are digested, since they may be long or have any characters.
  readonly operator: {
    readonly name: string;
    readonly role: Role;
    /** An argon2id hash; without one, a passkey is needed. */
    readonly password: string | null;
    readonly initial_until_ms: number | null;
  };
  readonly passkey: {
    readonly id: string;
    readonly operator: string;
    readonly public_key: string;
    readonly name: string;
    readonly transports: string;
    readonly added_ms: number;
  };
  readonly session: {
    /** The digest of its id: reading the table opens no session. */
    readonly key: string;
    readonly operator: string;
    readonly source: 'password' | 'passkey' | 'oidc';
    readonly credential_digest: string;
    /** JSON of the user of single sign-on. */
    readonly person: string | null;
    readonly browser: string;
    readonly address: string;
    readonly kept: 0 | 1;
    readonly signed_in_ms: number;
    readonly seen_ms: number;
  };
  readonly passkey_count: { readonly id_digest: string; readonly count: number };
  readonly short_lived: {
    readonly kind: string;
    readonly of_digest: string;
    readonly value: string;
    readonly sender: string | null;
    readonly kept_ms: number;
    /** Orders events of one server within a millisecond. */
    readonly number: number;
  };
  readonly tally: {
    readonly kind: string;
    readonly of_digest: string;
    readonly count: number;
    readonly counted_until_ms: number;
    readonly delayed_until_ms: number;
    /** The later of `counted_until_ms` and `delayed_until_ms`. */
    readonly ends_ms: number;
  };
  readonly secret: { readonly name: string; readonly value: string };
  // The audit log.
  readonly audit_event: {
    /** The id sorts by time: milliseconds, a number, and the writing process. */
    readonly id: string;
    readonly at_ms: number;
    readonly last_ms: number;
    readonly times: number;
    readonly kind: string;
    /** The kind of counted events. */
    readonly of_kind: string | null;
    readonly operator: string | null;
    readonly name: string | null;
    /** The affected operator's id. */
    readonly person: string | null;
    readonly address: string | null;
    readonly request_id: string | null;
    readonly details: string;
  };
  // Tokens of programs and walls.
  readonly read_token: {
    readonly id: string;
    readonly digest: string;
    readonly name: string;
    /** The permissions, separated by commas. */
    readonly scopes: string;
    /** `W,S,E,N` */
    readonly area: string | null;
    readonly altitude_as: string | null;
    readonly made_ms: number;
    readonly made_by: string;
    readonly ends_ms: number | null;
    readonly used_ms: number | null;
    readonly requests_a_minute: number;
    /** Requests to the upstream that it may make in a day. */
    readonly history_a_day: number;
    /** The day, UTC, of `history_spent`. */
    readonly history_day: string;
    readonly history_spent: number;
    /** The view of a wall. */
    readonly view_id: string | null;
  };
  // Saved views and overlays. `owner` is an operator’s id, and '' without sign-in.
  readonly view: {
    readonly id: string;
    readonly owner: string;
    readonly name: string;
    readonly query: string;
    readonly shared: 0 | 1;
    readonly owner_name: string;
  };
  readonly start_view: { readonly owner: string; readonly view_id: string };
  readonly overlay: {
    readonly id: string;
    readonly owner: string;
    readonly name: string;
    readonly shared: 0 | 1;
    readonly owner_name: string;
    readonly packed: string;
  };
  // Notices to destinations, owned by `delivery`. Times are the upstream’s.
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
    /** A JSON array of transitions. */
    readonly announces: string;
    /** Whether it receives the alarms of every zone, also where no rule names it. */
    readonly all_alarms: 0 | 1;
    /** Whether it receives changes of own receivers. */
    readonly own_receivers: 0 | 1;
    readonly group_s: number;
    readonly notices_an_hour: number | null;
    readonly switched_off_ms: number | null;
    readonly switched_off_reason: string | null;
    /** Whether it was removed: its deliveries still name it. */
    readonly removed: 0 | 1;
  };
  /** The destination's queue writes it. */
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
    /** '' where there is no summary. */
    readonly summary_id: string;
  };
  readonly delivery: {
    readonly id: string;
    readonly destination_id: string;
    /** Numbers follow the order in which deliveries were made. */
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
    /** JSON, as `receiverChangeSchema` reads it; null for a notice of alarms. */
    readonly about: string | null;
  };
  readonly delivery_alarm: {
    readonly delivery_id: string;
    readonly alarm_id: string;
    /** Places follow the order of transitions. */
    readonly place: number;
  };
  /** Notices to be made later, unless an operator handles the alarm (`escalated`) or its track returns (`ended`). */
  readonly later_notice: {
    readonly alarm_id: string;
    readonly destination_id: string;
    readonly type: string;
    readonly due_ms: number;
  };
  /**
   * Browsers that receive the alarms that their person sees. `delivery`, `destination_health` and `notice_budget` name
   * one as they name a destination.
   */
  readonly push_subscription: {
    readonly id: string;
    readonly revision: number;
    /** The operator’s id. */
    readonly owner: string;
    /** The session that made it or that used it last. Ending that session ends the subscription. */
    readonly session_key: string;
    /** As in `session`. */
    readonly source: 'password' | 'passkey' | 'oidc';
    /** As in `session`; '' once it is revoked. */
    readonly credential_digest: string;
    /** JSON of the user of single sign-on, whose subscription ends at `ends_ms`, by this server’s clock. */
    readonly person: string | null;
    readonly ends_ms: number | null;
    readonly browser: string;
    /** The address at the push service. Knowing it is enough to send there, but not to encrypt. */
    readonly endpoint: string;
    /** The browser’s keys (RFC 8291), base64url. `auth` is '' once the push service has ended the subscription. */
    readonly p256dh: string;
    readonly auth: string;
    /** JSON, as `pushChoicesSchema` reads it. */
    readonly choices: string;
    readonly made_ms: number;
  };
  /** One row: the last handled change of the outbox, and the number of deliveries. */
  readonly delivery_cursor: { readonly id: 1; readonly change: number; readonly made: number };
  // The overview, owned by `overview`.
  /** Received positions and watched time of a layer, by hour. */
  readonly overview_hour: {
    readonly layer: string;
    readonly hour_ms: number;
    /** Positions are counted until then. */
    readonly until_ms: number;
    /** Sides of cells are 2 ** size units of 1/256°. */
    readonly size: number;
    readonly sampling: number;
    /** Edges are in units from 180° W and the south pole; null: nothing was watched or received. */
    readonly west: number | null;
    readonly south: number | null;
    readonly east: number | null;
    readonly north: number | null;
    /** lib/overview/hour-body.ts writes it, compressed by Brotli. */
    readonly body: Uint8Array;
    /** Hashes and times, to count on after a restart. null: the hour is closed. */
    readonly open_references: Uint8Array | null;
  };
  // Stored parts of the past.
  readonly part: PartColumns & {
    /** Another account of the upstream may receive other records. */
    readonly account: string;
    readonly key: string;
    readonly records: number;
    readonly truncated: 0 | 1;
    /** The version of the body's format and of the reader, which may have dropped records. */
    readonly version: string;
    readonly body: Uint8Array;
    /** JSON; null where the upstream reports none. */
    readonly reception: string | null;
    /** The last use, to some minutes: the least recently used parts are evicted. */
    readonly used_ms: number;
  };
  /** Parts that readers want from the writer. */
  readonly wanted_part: PartColumns & {
    readonly id: string;
    readonly account: string;
    readonly server: string;
    readonly operator: string;
    readonly role: string | null;
    readonly request_id: string | null;
    /** A time of the database's clock; the waiting reader renews it. */
    readonly asked_ms: number;
    /** A time of the database's clock; the writer renews it while it reads the part. */
    readonly taken_ms: number;
  };
  readonly answered_part: {
    readonly id: string;
    readonly server: string;
    readonly outcome: string;
    readonly body: Uint8Array | null;
    readonly answered_ms: number;
  };
  // The cost of requests.
  readonly ledger: {
    /** Named after the upstream's address. */
    readonly account: string;
    readonly saved: string;
  };
  /** Counts by run of a server, so that a write can be repeated after a lost answer. */
  readonly spent: {
    /** `YYYY-MM-DD`, UTC. */
    readonly day: string;
    readonly operator: string;
    readonly run: string;
    readonly past: number;
    readonly first_views: number;
  };
  /** The table has one row. */
  readonly demand_profile: { readonly id: 1; readonly saved: string };
  // Shared by servers. Of these tables, only the lease outlives a crash of the database.
  /** One row, which changes only with the writer: writes can lock it without delaying renewals. */
  readonly writer: {
    readonly id: 1;
    readonly fence: number;
    readonly holder: string;
  };
  /** `until_ms` is a time of the database's clock. */
  readonly writer_lease: { readonly id: 1; readonly until_ms: number };
  readonly frame: {
    readonly key: string;
    readonly name: string;
    readonly sequence: number;
    /** The form is of `shared-frames.ts`. */
    readonly body: Uint8Array;
  };
  /** The table has one row. */
  readonly live_plan: {
    readonly id: 1;
    readonly fence: number;
    readonly number: number;
    /** A time of the database's clock, renewed each second. */
    readonly written_ms: number;
    readonly body: string;
  };
  readonly server: {
    readonly id: string;
    /** The name for operators; '' once the server stops. */
    readonly name: string;
    /** A time of the database's clock. */
    readonly seen_ms: number;
    readonly version: number;
    readonly viewers: number;
    readonly cells: string;
  };
  /** Questions of servers to the others, for a few seconds: notices are only hints to read them. */
  readonly server_ask: {
    readonly id: string;
    readonly topic: string;
    readonly body: string;
    /** A time of the database's clock. */
    readonly asked_ms: number;
    readonly answered: 0 | 1;
  };
  // Moves between databases.
  /** At most one row: the latest move from here or to here. */
  readonly move: {
    readonly id: 1;
    /** The id of the move, the same at the source and the target. */
    readonly move: string;
    /**
     * - `filling`: the target of a move that has not ended: its other tables are as new.
     * - `filled`: the target of one that has ended.
     * - `moved`: the source of one, whose copy has replaced it.
     */
    readonly state: 'filling' | 'filled' | 'moved';
    /** The other database, without its password. */
    readonly other: string;
    /** A time of the clock of the machine that ran the command. */
    readonly at_ms: number;
  };
}

/** Edges of the box are in 10⁻⁷ degrees, as in the contract. */
export interface PartColumns {
  readonly layer: string;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly start_ms: number;
  readonly end_ms: number;
}

export type Query = Kysely<Tables> | Transaction<Tables>;
