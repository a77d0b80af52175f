import * as z from 'zod/mini';
import { cornersSchema } from '#lib/geo/corners.ts';
import { instantParameter, instantText, windowTexts } from '#lib/time/instant-schema.ts';
import { EXPORT_FORMATS } from '../export-format.ts';
import { layerSchema } from '../layer-state.ts';

/** Counts Unicode characters; longer texts are cut. */
export const AUDIT_TEXT_MAX_LENGTH = 120;

const method = z.enum(['password', 'passkey', 'single-sign-on']);
/** Id of the operator that the event is about. */
const person = z.string();
const aboutPerson = { person };
const role = z.string();
/** Public name, groups a session's events. */
const session = z.string();
const view = z.string();
const overlay = z.string();
/** The permit's name. */
const permit = z.string();
/** The zone's name. */
const zone = z.string();
/** The incident's id and number. */
const aboutIncident = { incident: z.string(), number: z.string() };
const destination = z.string();
/** Absent if it is empty. */
const noteComment = z.optional(z.string());

/** Actions, never what an operator saw, and no password, cookie, key or link. Areas are rounded outwards to 0.01°. */
export const auditEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('signed_in'), method, session }),
  z.object({
    kind: z.literal('sign_in_refused'),
    method,
    /** null for an unknown name: users type passwords into the wrong field. */
    person: z.nullable(person),
    reason: z.enum(['not_accepted', 'too_many_attempts', 'not_allowed', 'cancelled']),
  }),
  z.object({
    kind: z.literal('session_ended'),
    ...aboutPerson,
    session,
    how: z.enum(['signed_out', 'by_its_operator', 'by_admin', 'replaced']),
  }),
  z.object({
    kind: z.literal('past_loaded'),
    bbox: cornersSchema,
    layers: z.array(layerSchema),
    ...windowTexts,
    /** Upstream requests that were answered; 0 if everything was cached. */
    requests: z.int().check(z.nonnegative()),
    outcome: z.enum(['complete', 'with_gaps', 'left', 'failed']),
    /** File format of an export. */
    format: z.nullable(z.enum(EXPORT_FORMATS)),
  }),
  z.object({ kind: z.literal('allowance_checked') }),
  /** `from`: host of the source. */
  z.object({ kind: z.literal('street_map_requested'), map: z.string(), from: z.string(), bytes: z.int() }),
  z.object({ kind: z.literal('street_map_cancelled'), map: z.string() }),
  z.object({ kind: z.literal('view_added'), view, shared: z.boolean() }),
  z.object({ kind: z.literal('view_changed'), view, shared: z.boolean() }),
  z.object({ kind: z.literal('view_removed'), view }),
  z.object({ kind: z.literal('start_view_set'), view: z.nullable(view) }),
  z.object({ kind: z.literal('overlay_added'), overlay, shared: z.boolean() }),
  z.object({ kind: z.literal('overlay_removed'), overlay }),
  z.object({ kind: z.literal('zone_added'), zone, shared: z.boolean() }),
  z.object({ kind: z.literal('zones_imported'), first: zone, zones: z.int() }),
  z.object({ kind: z.literal('zone_changed'), zone, shared: z.boolean(), revision: z.int() }),
  z.object({ kind: z.literal('zone_removed'), zone }),
  z.object({ kind: z.literal('zones_handed_over'), ...aboutPerson, first: zone, zones: z.int() }),
  z.object({ kind: z.literal('permit_made'), permit, zone }),
  /** Several at once. */
  z.object({ kind: z.literal('permits_made'), first: permit, permits: z.int() }),
  z.object({ kind: z.literal('permit_changed'), permit, zone }),
  z.object({ kind: z.literal('permit_ended'), permit, zone }),
  z.object({ kind: z.literal('alarm_acknowledged'), zone, alarm: z.string(), comment: noteComment }),
  z.object({ kind: z.literal('alarm_closed'), zone, alarm: z.string(), as: z.string(), comment: noteComment }),
  z.object({ kind: z.literal('handed_over'), note: z.string() }),
  z.object({ kind: z.literal('incident_opened'), ...aboutIncident }),
  z.object({ kind: z.literal('incident_changed'), ...aboutIncident, revision: z.int() }),
  z.object({ kind: z.literal('incident_noted'), ...aboutIncident, note: z.string() }),
  /** Alarms or tracks were added by hand. */
  z.object({ kind: z.literal('incident_joined'), ...aboutIncident, alarms: z.int(), tracks: z.int() }),
  z.object({ kind: z.literal('incident_closed'), ...aboutIncident, positions: z.int() }),
  /** Of `SHA256SUMS`. */
  z.object({ kind: z.literal('incident_sealed'), ...aboutIncident, sha256: z.string() }),
  z.object({ kind: z.literal('incident_file_read'), ...aboutIncident }),
  z.object({ kind: z.literal('incident_deleted'), ...aboutIncident, reason: z.string() }),
  z.object({
    kind: z.literal('alarms_exported'),
    format: z.string(),
    /** Filters as in the query. */
    filter: z.string(),
    /** How many alarms the file has. */
    alarms: z.int().check(z.nonnegative()),
    outcome: z.enum(['complete', 'cut', 'left', 'failed']),
  }),
  z.object({ kind: z.literal('destination_added'), destination, all_alarms: z.optional(z.boolean()) }),
  z.object({
    kind: z.literal('destination_changed'),
    destination,
    is_on: z.boolean(),
    all_alarms: z.optional(z.boolean()),
    /** Old host, where it differs from the new one. */
    from: z.optional(z.string()),
    /** The new host. */
    to: z.optional(z.string()),
  }),
  z.object({ kind: z.literal('destination_removed'), destination }),
  z.object({ kind: z.literal('destination_secret_made'), destination }),
  z.object({ kind: z.literal('destination_secrets_dropped'), destination }),
  z.object({ kind: z.literal('destination_trial'), destination }),
  /** Lookout switched it off, such as after status 410. */
  z.object({ kind: z.literal('destination_switched_off'), destination, why: z.string() }),
  z.object({
    kind: z.literal('delivery_given_up'),
    destination,
    notices: z.int().check(z.positive()),
    why: z.string(),
  }),
  z.object({ kind: z.literal('read_token_made'), token: z.string(), scopes: z.string() }),
  z.object({ kind: z.literal('read_token_revoked'), token: z.string() }),
  z.object({ kind: z.literal('wall_opened'), token: z.string() }),
  z.object({ kind: z.literal('person_added'), ...aboutPerson, role }),
  z.object({ kind: z.literal('person_removed'), ...aboutPerson }),
  z.object({ kind: z.literal('role_changed'), ...aboutPerson, role }),
  z.object({ kind: z.literal('password_changed'), ...aboutPerson }),
  z.object({ kind: z.literal('password_removed'), ...aboutPerson }),
  z.object({ kind: z.literal('passkey_added'), ...aboutPerson, passkey: z.string() }),
  z.object({ kind: z.literal('passkey_removed'), ...aboutPerson, passkey: z.string() }),
  /** A browser receives the person's alarms by push. */
  z.object({ kind: z.literal('push_added'), ...aboutPerson, browser: z.string(), to: z.string() }),
  z.object({ kind: z.literal('push_removed'), ...aboutPerson, browser: z.string() }),
  /** Counts events beyond an operator's limit per minute. */
  z.object({ kind: z.literal('more'), of: z.string() }),
  /** The database could not be written for too long. */
  z.object({ kind: z.literal('lost') }),
]);

export type AuditEvent = z.infer<typeof auditEventSchema>;
export type AuditKind = AuditEvent['kind'];

export const AUDIT_KINDS: readonly AuditKind[] = auditEventSchema.def.options.flatMap(
  ({ shape }) => shape.kind.def.values,
);

/** The operator may differ from the one that acted. */
export const KINDS_ABOUT_PEOPLE: readonly AuditKind[] = auditEventSchema.def.options.flatMap(({ shape }) =>
  'person' in shape ? shape.kind.def.values : [],
);

export const auditEntrySchema = z.object({
  /** The same at every server; later entries have greater ids. */
  id: z.string(),
  at: instantText,
  /** Time of the last of several equal events; equals `at` for one. */
  last: instantText,
  /** Number of equal events within a minute. */
  times: z.int().check(z.positive()),
  /** The operator who did it, with the name of that time; null without a session. */
  operator: z.nullable(z.object({ id: z.string(), name: z.string() })),
  /** Source address, or `command line`: `operator` is then the system user. */
  address: z.nullable(z.string()),
  /** Request id in the log; of several equal events, the first one. */
  request_id: z.nullable(z.string()),
  /** The event: `kind` and its own fields. */
  event: auditEventSchema,
});

export type AuditEntry = z.infer<typeof auditEntrySchema>;

/**
 * An entry that only counts events matches every filter that one of them could match. Otherwise an answer could look
 * complete by mistake.
 */
export const auditQuerySchema = z.strictObject({
  /** Events by or about this operator. */
  operator: z.optional(z.string().check(z.minLength(1), z.maxLength(AUDIT_TEXT_MAX_LENGTH))),
  /** Answers only events of this kind. */
  kind: z.optional(z.enum(AUDIT_KINDS)),
  /** Start of the time range, inclusive. */
  since: z.optional(instantParameter('since')),
  /** End of the time range, exclusive. */
  until: z.optional(instantParameter('until')),
  /** `next` of the previous page. */
  before: z.optional(z.string().check(z.regex(/^\d{15}-[0-9a-f-]{1,48}$/))),
});

/** The newest entry is first. */
export const auditAnswerSchema = z.object({
  entries: z.readonly(z.array(auditEntrySchema)),
  /** Value of `before` for the next page; null on the last one. */
  next: z.nullable(z.string()),
  /** The server's time. */
  as_of: instantText,
  /** Days until entries are deleted. */
  kept_days: z.int(),
  /** Events in memory that could not be stored yet. */
  waiting: z.int().check(z.nonnegative()),
});
export type AuditAnswer = z.infer<typeof auditAnswerSchema>;
