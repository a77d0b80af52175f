import { z } from 'zod';
import { instantText } from '../time/instant-schema.ts';
import { publicReferencePattern } from './public-reference.ts';

const TRACK_KINDS = ['drone', 'adsb_aircraft'] as const;

/**
 * One record of `data` (Resources and their fields: Position). Additional properties and unknown labels are accepted; null
 * stays null. Only live records have `stale_after`.
 */
export function wirePositionSchema(prefix: string | undefined) {
  return z.looseObject({
    public_track_id: z.string().regex(publicReferencePattern(prefix)),
    observed_at: instantText,
    longitude: z.number().min(-180).max(180),
    latitude: z.number().min(-90).max(90),
    altitude_m: z.number().nullable(),
    height_agl_m: z.number().nullable(),
    speed_mps: z.number().nullable(),
    heading_deg: z.number().nullable(),
    confidence: z.string().nullable(),
    confidence_score: z.number().nullable(),
    receiver_count: z.int().nullable(),
    track_kind: z.enum(TRACK_KINDS),
    simulated: z.boolean(),
    test_broadcast: z.boolean(),
    emergency_state: z.string().nullable(),
    stale_after: instantText.optional(),
  });
}

type WirePositionSchema = ReturnType<typeof wirePositionSchema>;
export type WirePosition = z.infer<WirePositionSchema>;
/** The fields named by the contract; a record may have others. */
export type WireField = keyof WirePositionSchema['shape'];
