import * as z from 'zod/mini';
import { instantText } from '#lib/time/instant-schema.ts';
import { shapeSchema } from '#lib/zones/zone.ts';
import { pastReasonSchema } from '../layer-reason.ts';
import { layerSchema } from '../layer-state.ts';
import { deliverySchema } from '../outputs/destinations.ts';
import { receptionSchema } from '../overview.ts';
import { writtenText } from '../short-name.ts';
import { alarmSchema } from './alarms.ts';
import { incidentRevision, NOTE_KINDS } from './incident-actions.ts';
import { sightingCheckSchema, sightingSchema } from './sightings.ts';

/** `closed`: its positions are kept. `sealed`: nothing of it changes any more. */
const INCIDENT_STATES = ['open', 'closed', 'sealed'] as const;

const ENTRY_KINDS = [...NOTE_KINDS, 'sighting'] as const;

/** Bounds of what one incident keeps. */
export const KEPT_MAX = { hours: 24, positions: 5_000_000, bytes: 200_000_000 } as const;

export const TITLE_MAX_LENGTH = 120;
/** One line, also in documents. */
const title = z.pipe(
  writtenText(TITLE_MAX_LENGTH, 1),
  z.transform((text) => text.replaceAll(/\s+/g, ' ')),
);
const layers = z.array(layerSchema).check(
  z.minLength(1),
  z.refine((names) => new Set(names).size === names.length, { error: 'must name each layer once' }),
);
/** A zone as it is now, or a shape of its own. */
const areaSchema = z.union([z.strictObject({ zone: z.uuid() }), shapeSchema]);
const to = z.nullable(instantText);
export const newIncidentSchema = z.strictObject({
  title,
  from: instantText,
  /** null: it runs. */
  to: z._default(to, null),
  area: areaSchema,
  layers,
});
export type NewIncident = z.infer<typeof newIncidentSchema>;

/** Everything but the title changes only while it is open. */
export const incidentChangeSchema = z.strictObject({
  revision: incidentRevision,
  title: z.optional(title),
  from: z.optional(instantText),
  to: z.optional(to),
  area: z.optional(areaSchema),
  layers: z.optional(layers),
});
export type IncidentChange = z.infer<typeof incidentChangeSchema>;

const signed = z.object({ by: z.string(), at: instantText });

const incidentSchema = z.object({
  id: z.uuid(),
  /** Of the year, such as `2026-014`. */
  number: z.string(),
  revision: z.int(),
  title: z.string(),
  state: z.enum(INCIDENT_STATES),
  from: instantText,
  to,
  /** The zone that it was opened over, with its revision then; null: an area of its own. */
  zone: z.nullable(z.object({ id: z.uuid(), name: z.string(), revision: z.int() })),
  shape: shapeSchema,
  layers: z.array(layerSchema),
  opened: signed,
  closed: z.nullable(signed),
  sealed: z.nullable(
    z.object({ by: z.string(), at: instantText, /** Of `SHA256SUMS`. */ sha256: z.string(), bytes: z.int() }),
  ),
  /** Copied by closing; null while it is open. */
  kept: z.nullable(z.object({ positions: z.int(), bytes: z.int() })),
  notes: z.int(),
});
export type Incident = z.infer<typeof incidentSchema>;

const entrySchema = z.object({
  id: z.uuid(),
  kind: z.enum(ENTRY_KINDS),
  text: z.string(),
  at: instantText,
  place: z.nullable(z.tuple([z.number(), z.number()])),
  corrects: z.nullable(z.uuid()),
  by: z.string(),
  written_at: instantText,
  /** Only a sighting has them. */
  sighting: z.nullable(z.object({ ...sightingSchema.shape, at: instantText })),
  check: z.nullable(sightingCheckSchema),
});
export type IncidentEntry = z.infer<typeof entrySchema>;

const pinnedSchema = z.object({ track: z.string(), remark: z.string(), by: z.string(), at: instantText });
/** With the alarm that it is of. */
const ofAlarmSchema = z.extend(deliverySchema, { alarm: z.uuid() });

/** The answer to a new or changed incident. */
export const changedIncidentSchema = z.object({ incident: incidentSchema });

/** The answer to a new note or sighting. */
export const addedNoteSchema = z.object({ note: entrySchema });

export const incidentKeySchema = z.object({ public_key: z.string(), algorithm: z.literal('Ed25519') });

/** The latest first. */
export const incidentsSchema = z.object({ incidents: z.array(incidentSchema) });

export const oneIncidentSchema = z.object({
  incident: incidentSchema,
  /** In the order in which they were written. */
  notes: z.array(entrySchema),
  /** Those of its area and window, and those added by hand. */
  alarms: z.array(alarmSchema),
  /** Alarms that were added by hand, with their remark. */
  added: z.array(z.object({ alarm: z.uuid(), remark: z.string(), by: z.string(), at: instantText })),
  tracks: z.array(pinnedSchema),
  deliveries: z.array(ofAlarmSchema),
});
export type OneIncident = z.infer<typeof oneIncidentSchema>;

const VERDICTS = ['received', 'none_while_watched', 'not_known'] as const;

const trackInsideSchema = z.object({
  track: z.string(),
  first_at: instantText,
  last_at: instantText,
  /** The lowest height above ground, or else altitude; null: none was reported. */
  lowest_m: z.nullable(z.number()),
  lowest_field: z.nullable(z.enum(['height_agl_m', 'altitude_m'])),
  /** To the zone's landmark, or else the middle of the area. */
  nearest_m: z.number(),
  positions: z.int(),
  simulated: z.boolean(),
  test: z.boolean(),
});
export type TrackInside = z.infer<typeof trackInsideSchema>;

const layerAnswerSchema = z.object({
  verdict: z.enum(VERDICTS),
  /** In the order of their first position inside. */
  tracks: z.array(trackInsideSchema),
  not_watched: z.array(z.object({ from: instantText, to: instantText, reason: pastReasonSchema })),
});
export type LayerAnswer = z.infer<typeof layerAnswerSchema>;

export const incidentAnswerSchema = z.object({
  as_of: instantText,
  /** Of its area, as of then. Absent in incidents that were closed by earlier versions. */
  reception: z.optional(receptionSchema),
  /** The layers of the incident. Never "clear". */
  layers: z.partialRecord(layerSchema, layerAnswerSchema),
});
export type IncidentAnswer = z.infer<typeof incidentAnswerSchema>;
