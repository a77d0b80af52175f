import * as z from 'zod/mini';
import { instantParameter, instantText } from '#lib/time/instant-schema.ts';
import { flightWatchSchema } from '#lib/zones/alarm.ts';
import { permitIntent, permitTerms } from '#lib/zones/permit.ts';
import { shortName } from '../short-name.ts';
import { answeredSchema } from './alarms.ts';

/** Permits that one request makes. */
export const PERMITTED_MAX = 100;

const newPermitSchema = z.strictObject({
  /** A zone that the caller sees. */
  zone: z.uuid(),
  /** 1 to 80 characters, such as `Survey flight, police`. */
  name: shortName,
  ...permitTerms,
  /** A flight is expected: Lookout records whether it was received. */
  expects_flight: z._default(z.boolean(), false),
  /** Of a volume of an operational intent: permits of its earlier versions in the zone are replaced. */
  intent: z.optional(permitIntent),
});
export type NewPermit = z.infer<typeof newPermitSchema>;

export const newPermitsSchema = z.strictObject({
  permits: z._default(z.array(newPermitSchema).check(z.maxLength(PERMITTED_MAX)), []),
  /** ASTM F3548-21: each volume becomes a permit. With `permits`, 1 to 100 permits. */
  operational_intents: z._default(
    z
      .array(
        z.strictObject({
          /** A zone that the caller sees. */
          zone: z.uuid(),
          /** With `reference` and `details`, or in `operational_intent`. */
          intent: z.unknown(),
        }),
      )
      .check(z.maxLength(PERMITTED_MAX)),
    [],
  ),
  /** Alarms that it answers, each once, at most 500. */
  alarms: z._default(z.array(z.strictObject({ id: z.uuid(), revision: z.int() })).check(z.maxLength(500)), []),
});
export type NewPermits = z.infer<typeof newPermitsSchema>;

/** `revision`: the one that the caller read. Its zone stays the same. */
export const permitChangeSchema = z.strictObject({
  revision: z.int().check(z.gte(1)),
  name: shortName,
  ...permitTerms,
  /** Absent: as before. */
  expects_flight: z.optional(z.boolean()),
});
export type PermitChange = z.infer<typeof permitChangeSchema>;

export const permitEndSchema = z.strictObject({ revision: z.int().check(z.gte(1)) });

export const permitSchema = z.object({
  id: z.uuid(),
  /** Counts changes, from 1. */
  revision: z.int().check(z.gte(1)),
  zone: z.object({ id: z.uuid(), name: z.string() }),
  name: z.string(),
  ...permitTerms,
  /** The operational intent that it is a volume of; null: of none. */
  intent: z.nullable(permitIntent),
  /** By the upstream's clock. */
  state: z.enum(['current', 'coming', 'ended']),
  /** Empty without sign-in. */
  made_by: z.string(),
  made_at: instantText,
  changed: z.nullable(z.object({ by: z.string(), at: instantText })),
  /** Where an operator ended it before `end`. */
  ended: z.nullable(z.object({ by: z.string(), at: instantText })),
  /** null: no flight is expected. */
  flight: z.nullable(
    z.object({
      /** When the first position that fits was observed; null: none was received. */
      received_at: z.nullable(instantText),
      /** null: received, or not decided yet. The decision comes some minutes after the end. */
      watched: z.nullable(flightWatchSchema),
    }),
  ),
});
export type Permit = z.infer<typeof permitSchema>;

export const permitsQuerySchema = z.strictObject({
  /** With both, the permits that were valid within; default: current and coming ones, and those that ended in the last 7 days. */
  start: z.optional(instantParameter('start')),
  end: z.optional(instantParameter('end')),
});

export const permitsSchema = z.object({
  /** Of zones that the caller sees: current ones, then coming ones, then ended ones, the latest first. */
  permits: z.array(permitSchema),
  /** Earlier ones are left out. */
  cut: z.boolean(),
});
export type PermitsAnswer = z.infer<typeof permitsSchema>;

export const permittedSchema = z.object({
  /** In the order of the request. */
  permits: z.array(permitSchema),
  /** As those of acknowledgements. */
  answers: answeredSchema.shape.answers,
});
export type Permitted = z.infer<typeof permittedSchema>;
