import * as z from 'zod/mini';
import { instantParameter, instantText } from '#lib/time/instant-schema.ts';
import { ALARM_ENDS, ALARM_KINDS, ALARM_STATES, trackSchema } from '../zones/alarm.ts';
import { zoneContentSchema } from '../zones/zone.ts';
import { pastReasonSchema } from './layer-reason.ts';
import { layerSchema } from './layer-schema.ts';

/** Requests that a trial may send upstream. */
const TRIAL_REQUESTS_MAX = 500;
/** Alarms of one answer; `count` has all of them. */
export const TRIAL_ALARMS_MAX = 1000;

const { shape, vertical, hours, rules, permits } = zoneContentSchema.shape;

/** Body of `POST /api/zones/try`: a zone that is not saved, and a past window of at most 24 h. */
export const tryZoneSchema = z.strictObject({
  shape,
  vertical: z._default(vertical, null),
  hours: z._default(hours, null),
  rules,
  permits,
  /** Start of the window, RFC 3339 with a timezone; inclusive. */
  start: instantParameter('start'),
  /** End of the window; exclusive. */
  end: instantParameter('end'),
  /** Limit of requests to the upstream, at most 500; default: 20. 0: only what is loaded already. */
  max_requests: z._default(z.int().check(z.gte(0), z.lte(TRIAL_REQUESTS_MAX)), 20),
});
export type TryZone = z.infer<typeof tryZoneSchema>;

const count = z.int().check(z.nonnegative());

const trialCounts = {
  alarms: count,
  /** Of them, those that a permit covers. */
  expected: count,
  /** Of them, those for which the height of the zone's limits was null. */
  height_unknown: count,
};

const trialAlarmSchema = z.object({
  /** Place of the rule in the body's list, from 0. */
  rule: count,
  layer: layerSchema,
  /** The reference; null for a rule about no track. */
  track: z.nullable(z.string()),
  other: z.nullable(trackSchema),
  kind: z.enum(ALARM_KINDS),
  /** Observed time of the position that decided. */
  opened_at: instantText,
  state: z.enum(ALARM_STATES),
  ended_at: z.nullable(instantText),
  ended: z.nullable(z.enum(ALARM_ENDS)),
  /** 1, and one more each time the same track came back within the hold. */
  count: z.int().check(z.gte(1)),
  height_unknown: z.boolean(),
  simulated: z.boolean(),
  test: z.boolean(),
  expected: z.boolean(),
});
export type TrialAlarm = z.infer<typeof trialAlarmSchema>;

/** `POST /api/zones/try`: the alarms that the rules would have raised. */
export const zoneTrialSchema = z.object({
  /** The first 1000, by time of opening. */
  alarms: z.array(trialAlarmSchema),
  count: z.object(trialCounts),
  /** The same for each rule of the body. */
  rules: z.array(z.object(trialCounts)),
  /** Positions that were evaluated. */
  positions: count,
  /** Of them, those on the ground of the zone, at any height. */
  positions_inside: count,
  /** Of these, those whose height is null in the field of the zone's limits (`height_agl_m` without limits). */
  inside_without_height: count,
  /** Requests sent to the upstream. */
  requests: count,
  /** All of the window was read. Otherwise alarms may be missing. */
  complete: z.boolean(),
  /** Why the trial ended before everything was read: after 50 s, or after 200,000 positions. */
  cut_short: z.nullable(z.enum(['time', 'positions'])),
  /** Stretches that are missing or incomplete. */
  gaps: z.array(z.object({ layer: layerSchema, from: instantText, to: instantText, reason: pastReasonSchema })),
});
export type ZoneTrial = z.infer<typeof zoneTrialSchema>;
