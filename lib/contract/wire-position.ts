import * as z from 'zod/mini';
import { instantText } from '../time/instant-schema.ts';
import { publicReferencePattern } from './public-reference.ts';

const TRACK_KINDS = ['drone', 'adsb_aircraft'] as const;

/** Resources and their fields: Position. Only live records have `stale_after`. */
export function wirePositionSchema(prefix: string | undefined) {
  return z.looseObject({
    public_track_id: z.string().check(z.regex(publicReferencePattern(prefix))),
    observed_at: instantText,
    longitude: z.number().check(z.minimum(-180), z.maximum(180)),
    latitude: z.number().check(z.minimum(-90), z.maximum(90)),
    altitude_m: z.nullable(z.number()),
    height_agl_m: z.nullable(z.number()),
    speed_mps: z.nullable(z.number()),
    heading_deg: z.nullable(z.number()),
    confidence: z.nullable(z.string()),
    confidence_score: z.nullable(z.number()),
    receiver_count: z.nullable(z.int()),
    track_kind: z.enum(TRACK_KINDS),
    simulated: z.boolean(),
    test_broadcast: z.boolean(),
    emergency_state: z.nullable(z.string()),
    stale_after: z.optional(instantText),
  });
}

type WirePositionSchema = ReturnType<typeof wirePositionSchema>;
export type WirePosition = z.infer<WirePositionSchema>;
export type WireField = keyof WirePositionSchema['shape'];

/**
 * Addition to the contract, of a service that reads other services. `other`: one of them sent the record. `both`: own
 * receivers sent it, and another service has the same aircraft or drone. Records of own receivers alone have none.
 */
export const RECEIVED_BY = 'received_by';
export type ReceivedBy = 'other' | 'both';

/**
 * Position: confidence, emergency_state. Spaces, punctuation and invisible characters could run as code or reorder
 * text. 64 characters fit a line of the track card.
 */
const LABEL = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;

export function isLabel(text: string): boolean {
  return LABEL.test(text);
}
