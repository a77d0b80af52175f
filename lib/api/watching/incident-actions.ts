import * as z from 'zod/mini';
import { instantText } from '#lib/time/instant-schema.ts';
import { writtenText } from '../short-name.ts';

// Bodies of requests that add to an incident, or end it.

/** The kinds of note that a person writes; a `sighting` comes with its check. */
export const NOTE_KINDS = ['observation', 'decision', 'call'] as const;

const INCIDENT_NOTE_MAX_LENGTH = 4000;
const REMARK_MAX_LENGTH = 500;
const REASON_MAX_LENGTH = 500;
const JOINED_MAX = 500;

/** Of the incident as the caller read it: 409 when it has moved on. */
export const incidentRevision = z.int();
const place = z._default(
  z.nullable(z.tuple([z.number().check(z.gte(-180), z.lte(180)), z.number().check(z.gte(-90), z.lte(90))])),
  null,
);
const references = z
  .array(z.string().check(z.minLength(1), z.maxLength(128)))
  .check(z.minLength(1), z.maxLength(JOINED_MAX));
const remark = z._default(writtenText(REMARK_MAX_LENGTH), '');

export const newIncidentNoteSchema = z.strictObject({
  kind: z.enum(NOTE_KINDS),
  text: writtenText(INCIDENT_NOTE_MAX_LENGTH, 1),
  /** When it was, which may be before it was written. */
  at: instantText,
  place,
  /** The id of an earlier note that this one corrects. */
  corrects: z._default(z.nullable(z.uuid()), null),
});
export type NewIncidentNote = z.infer<typeof newIncidentNoteSchema>;

export const incidentAlarmsSchema = z.strictObject({
  alarms: z.array(z.uuid()).check(z.minLength(1), z.maxLength(JOINED_MAX)),
  remark,
});
export const incidentTracksSchema = z.strictObject({ tracks: references, remark });

export const closeIncidentSchema = z.strictObject({
  revision: incidentRevision,
  /** Limit of upstream requests for what is not cached; default: 500. */
  max_requests: z._default(z.int().check(z.gte(0), z.lte(12_000)), 500),
  /** Close although a part of the past could not be read; it stays not known. */
  incomplete: z._default(z.boolean(), false),
});
export const sealIncidentSchema = z.strictObject({ revision: incidentRevision });
export const deleteIncidentSchema = z.strictObject({
  reason: writtenText(REASON_MAX_LENGTH, 1),
});

export const incidentAnswerQuerySchema = z.strictObject({
  /** Limit of upstream requests where there is an allowance, at most 500; default: 0, of cached data. */
  max_requests: z.optional(
    z.pipe(
      z.string().check(z.regex(/^\d{1,3}$/, { error: 'max_requests must be a whole number up to 500' })),
      z.transform((text: string) => Math.min(500, Number(text))),
    ),
  ),
});
