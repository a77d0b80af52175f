import { z } from 'zod';

const instantText = z.string();

/** A position as `/api/live` gives it: the contract's field names, null for "not reported". */
export const liveRecordSchema = z.object({
  public_track_id: z.string(),
  observed_at: instantText,
  longitude: z.number(),
  latitude: z.number(),
  altitude_m: z.number().nullable(),
  height_agl_m: z.number().nullable(),
  speed_mps: z.number().nullable(),
  heading_deg: z.number().nullable(),
  confidence: z.string().nullable(),
  confidence_score: z.number().nullable(),
  receiver_count: z.number().nullable(),
  track_kind: z.enum(['drone', 'adsb_aircraft']),
  simulated: z.boolean(),
  test_broadcast: z.boolean(),
  emergency_state: z.string().nullable(),
  stale_after: instantText.optional(),
});

export type LiveRecord = z.infer<typeof liveRecordSchema>;
