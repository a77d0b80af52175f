import * as z from 'zod/mini';
import { instantParameter, instantText } from '#lib/time/instant-schema.ts';
import { ALARM_ENDS, ALARM_KINDS, ALARM_STATES, trackSchema } from '#lib/zones/alarm.ts';
import { permitTerms } from '#lib/zones/permit.ts';
import { zoneContentSchema } from '#lib/zones/zone.ts';
import { PERMITS_MAX } from '#lib/zones/zone-limits.ts';
import { pastReasonSchema } from '../layer-reason.ts';
import { layerSchema } from '../layer-state.ts';

const TRIAL_REQUESTS_MAX = 500;
/** How many alarms an answer may have; `count` counts all. */
export const TRIAL_ALARMS_MAX = 1000;

const { shape, vertical, hours, rules } = zoneContentSchema.shape;

export const tryZoneSchema = z.strictObject({
  shape,
  vertical: z._default(vertical, null),
  hours: z._default(hours, null),
  rules,
  /** As in `POST /api/permits`, without zone and name. */
  permits: z._default(z.array(z.strictObject(permitTerms)).check(z.maxLength(PERMITS_MAX.zone)), []),
  /** RFC 3339 with a timezone; inclusive. */
  start: instantParameter('start'),
  /** Exclusive. */
  end: instantParameter('end'),
  /** Limit of upstream requests, at most 500; default: 20. 0: only cached data. */
  max_requests: z._default(z.int().check(z.gte(0), z.lte(TRIAL_REQUESTS_MAX)), 20),
});
export type TryZone = z.infer<typeof tryZoneSchema>;

const count = z.int().check(z.nonnegative());

const trialCounts = {
  alarms: count,
  /** How many a permit covers. */
  expected: count,
  /** The height for the zone's limits was null. */
  height_unknown: count,
};

const trialAlarmSchema = z.object({
  /** Index in the body's list. */
  rule: count,
  layer: layerSchema,
  /** null for a rule about no track. */
  track: z.nullable(z.string()),
  other: z.nullable(trackSchema),
  kind: z.enum(ALARM_KINDS),
  /** The observed time at which it would open. */
  opened_at: instantText,
  state: z.enum(ALARM_STATES),
  ended_at: z.nullable(instantText),
  ended: z.nullable(z.enum(ALARM_ENDS)),
  /** 1, plus one for each return within the hold. */
  count: z.int().check(z.gte(1)),
  height_unknown: z.boolean(),
  simulated: z.boolean(),
  test: z.boolean(),
  expected: z.boolean(),
});
export type TrialAlarm = z.infer<typeof trialAlarmSchema>;

export const zoneTrialSchema = z.object({
  /** The first 1000, by `opened_at`. */
  alarms: z.array(trialAlarmSchema),
  count: z.object(trialCounts),
  /** The counts of each rule, in the order of the body. */
  rules: z.array(z.object(trialCounts)),
  /** How many positions were evaluated. */
  positions: count,
  /** How many positions are inside, at any height. */
  positions_inside: count,
  /** Of these, with null in the limits' height field (`height_agl_m` without limits). */
  inside_without_height: count,
  /** How many requests were sent upstream. */
  requests: count,
  /** false: alarms may be missing. */
  complete: z.boolean(),
  /** Stopped after 50 s, or 200,000 positions. */
  cut_short: z.nullable(z.enum(['time', 'positions'])),
  /** Missing or incomplete stretches of any part of the zone, and those without some or all receivers. */
  gaps: z.array(z.object({ layer: layerSchema, from: instantText, to: instantText, reason: pastReasonSchema })),
});
export type ZoneTrial = z.infer<typeof zoneTrialSchema>;
