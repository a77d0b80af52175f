import * as z from 'zod/mini';
import { cornersSchema } from '#lib/geo/corners.ts';
import { instantParameter, instantText, windowTexts } from '#lib/time/instant-schema.ts';
import { EXPORT_FORMATS } from '../export-format.ts';
import { layerSchema } from '../layer-schema.ts';

/** In Unicode characters; longer texts are cut when they are recorded. */
export const AUDIT_TEXT_MAX_LENGTH = 120;

/** The means of a sign-in or confirmation, successful or not. */
const method = z.enum(['password', 'passkey', 'single-sign-on']);
/** The id of an operator whom the event is about. */
const person = z.string();
const aboutPerson = { person };
const role = z.string();
/** A short name of a session, by which its events belong together; it opens nothing. */
const session = z.string();
const view = z.string();
const overlay = z.string();

/**
 * The complete form of an entry: an action, never the positions seen. There is no field for a password, a cookie, a key or
 * a link, and an area is rounded outwards to hundredths of a degree.
 */
export const auditEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('signed_in'), method, session }),
  z.object({
    kind: z.literal('sign_in_refused'),
    method,
    /** null where no operator has the name that was given: what was typed there may have been a password. */
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
    /** Requests to the upstream that were answered for this load; 0 if everything was cached. */
    requests: z.int().check(z.nonnegative()),
    outcome: z.enum(['complete', 'with_gaps', 'left', 'failed']),
    /** The form of the file, where the past was exported. */
    format: z.nullable(z.enum(EXPORT_FORMATS)),
  }),
  z.object({ kind: z.literal('allowance_checked') }),
  z.object({ kind: z.literal('view_added'), view, shared: z.boolean() }),
  z.object({ kind: z.literal('view_changed'), view, shared: z.boolean() }),
  z.object({ kind: z.literal('view_removed'), view }),
  z.object({ kind: z.literal('start_view_set'), view: z.nullable(view) }),
  z.object({ kind: z.literal('overlay_added'), overlay, shared: z.boolean() }),
  z.object({ kind: z.literal('overlay_removed'), overlay }),
  z.object({ kind: z.literal('person_added'), ...aboutPerson, role }),
  z.object({ kind: z.literal('person_removed'), ...aboutPerson }),
  z.object({ kind: z.literal('role_changed'), ...aboutPerson, role }),
  z.object({ kind: z.literal('password_changed'), ...aboutPerson }),
  z.object({ kind: z.literal('password_removed'), ...aboutPerson }),
  z.object({ kind: z.literal('passkey_added'), ...aboutPerson, passkey: z.string() }),
  z.object({ kind: z.literal('passkey_removed'), ...aboutPerson, passkey: z.string() }),
  /** Actions that were repeated so often within a minute that single rows would flood the log: only their number is known. */
  z.object({ kind: z.literal('more'), of: z.string() }),
  /** The file could not be written for so long that events had to be given up. */
  z.object({ kind: z.literal('lost') }),
]);

export type AuditEvent = z.infer<typeof auditEventSchema>;
export type AuditKind = AuditEvent['kind'];

export const AUDIT_KINDS: readonly AuditKind[] = auditEventSchema.def.options.flatMap(
  ({ shape }) => shape.kind.def.values,
);

/** Events about a person, who may differ from the actor. */
export const KINDS_ABOUT_PEOPLE: readonly AuditKind[] = auditEventSchema.def.options.flatMap(({ shape }) =>
  'person' in shape ? shape.kind.def.values : [],
);

export const auditEntrySchema = z.object({
  /** Of the entry at all servers; those of later entries are greater. */
  id: z.string(),
  at: instantText,
  /** When the last of several that were alike happened; equals `at` for one. */
  last: instantText,
  /** How often it happened within a minute. */
  times: z.int().check(z.positive()),
  /** The actor, by their name at that time; null without a sign-in. */
  operator: z.nullable(z.object({ id: z.string(), name: z.string() })),
  /** The address that it came from, or `command line` for what was done at the server itself, by the user of the system in `operator`. */
  address: z.nullable(z.string()),
  /** The id of the request in the log; of several that were alike, that of the first. */
  request_id: z.nullable(z.string()),
  event: auditEventSchema,
});

export type AuditEntry = z.infer<typeof auditEntrySchema>;

/**
 * Of `GET /api/admin/audit`. Entries that stand for events that were not recorded singly are found by whatever these events may have
 * been: an answer is not to look complete where it is not.
 */
export const auditQuerySchema = z.strictObject({
  /** Actions by this operator, and on them. */
  operator: z.optional(z.string().check(z.minLength(1), z.maxLength(AUDIT_TEXT_MAX_LENGTH))),
  kind: z.optional(z.enum(AUDIT_KINDS)),
  since: z.optional(instantParameter('since')),
  until: z.optional(instantParameter('until')),
  /** `next` of the page before. */
  before: z.optional(z.string().check(z.regex(/^\d{15}-[0-9a-f-]{1,48}$/))),
});

/** Newest first. */
export const auditAnswerSchema = z.object({
  entries: z.readonly(z.array(auditEntrySchema)),
  /** null where there is no more. */
  next: z.nullable(z.string()),
  /** The server's time of this answer. */
  as_of: instantText,
  /** After how many days entries are deleted. */
  kept_days: z.int(),
  /** Events that are in no answer yet, because the disk cannot be written. */
  waiting: z.int().check(z.nonnegative()),
});
export type AuditAnswer = z.infer<typeof auditAnswerSchema>;
