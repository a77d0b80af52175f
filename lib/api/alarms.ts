import * as z from 'zod/mini';
import { instantParameter, instantText } from '#lib/time/instant-schema.ts';
import { ALARM_ENDS, ALARM_KINDS, ALARM_STATES, trackSchema } from '../zones/alarm.ts';
import { layerSchema } from './layer-schema.ts';
import { liveRecordSchema } from './live-record.ts';

const comment = z._default(z.string().check(z.maxLength(1000)), '');

export const CLOSED_AS = ['handled', 'expected', 'nuisance'] as const;

/** Body of `POST /api/alarms/ID/acknowledge`. */
export const acknowledgeSchema = z.strictObject({
  /** The acknowledgement ends then; null: with the alarm. */
  until: z.nullable(instantText),
  comment,
});

/** Body of `POST /api/alarms/ID/close`. */
export const closeSchema = z.strictObject({ as: z.enum(CLOSED_AS), comment });

export const alarmSchema = z.object({
  id: z.uuid(),
  zone: z.object({ id: z.uuid(), name: z.string(), revision: z.int() }),
  rule: z.object({ id: z.uuid(), kind: z.string() }),
  layer: layerSchema,
  /** The reference; null for a rule about no track. */
  track: z.nullable(z.string()),
  /** The second track of `closer`. */
  other: z.nullable(trackSchema),
  /** How the alarm began. */
  kind: z.enum(ALARM_KINDS),
  /** Observed time of the position that decided. */
  opened_at: instantText,
  /** Server time of the decision. */
  decided_at: instantText,
  state: z.enum(ALARM_STATES),
  /** Since when the zone has not been watched, while the state is `unknown`. */
  unknown_since: z.nullable(instantText),
  ended_at: z.nullable(instantText),
  ended: z.nullable(z.enum(ALARM_ENDS)),
  /** 1, and one more each time the same track came back within the hold. */
  count: z.int().check(z.gte(1)),
  /** Seconds between the observation and the decision if the stretch was read from history afterwards; null: found live. */
  found_later: z.nullable(z.number()),
  /** The height that the rule needed was null. */
  height_unknown: z.boolean(),
  simulated: z.boolean(),
  test: z.boolean(),
  /** The id of the alarm whose track ended near here shortly before; null: none. */
  perhaps_same_as: z.nullable(z.uuid()),
  /** A permit covers it: recorded, not announced. */
  expected: z.boolean(),
  acknowledged: z.nullable(
    z.object({ by: z.string(), at: instantText, until: z.nullable(instantText), comment: z.string() }),
  ),
  closed: z.nullable(z.object({ by: z.string(), at: instantText, as: z.enum(CLOSED_AS), comment: z.string() })),
  /** The positions that decided, in order of time. */
  evidence: z.array(liveRecordSchema),
});
export type Alarm = z.infer<typeof alarmSchema>;

/** Below the timeouts of proxies. */
export const ALARMS_WAIT_MAX_MS = 20_000;
/** Alarms of one answer; the query with its `next` has the others. */
export const ALARMS_MAX = 500;

/** The query of `GET /api/alarms`. */
export const alarmsQuerySchema = z.strictObject({
  /** `next` of an earlier answer, or an RFC 3339 time. */
  since: z.optional(z.string().check(z.maxLength(64))),
  zone: z.optional(z.uuid()),
  state: z.optional(z.enum(['new', 'acknowledged', 'closed', ...ALARM_STATES])),
  /** Part of a comment, a reference, or a name of zone or person. */
  text: z.optional(z.string().check(z.minLength(1), z.maxLength(80))),
  /** Opened then or later. */
  start: z.optional(instantParameter('start')),
  /** Opened before then. */
  end: z.optional(instantParameter('end')),
  /** Milliseconds, at most 20,000, that the answer waits for a change after `since` if there is none yet; default: 0. */
  wait: z.optional(
    z.pipe(
      z.string().check(z.regex(/^\d{1,5}$/, { error: 'wait must be a whole number of milliseconds' })),
      z.transform((text: string) => Math.min(ALARMS_WAIT_MAX_MS, Number(text))),
    ),
  ),
});
export type AlarmsQuery = z.infer<typeof alarmsQuerySchema>;

export const alarmsSchema = z.object({
  /** Newest change last. */
  alarms: z.array(alarmSchema),
  /** Value of `since` for what changed afterwards. */
  next: z.string(),
});
export type AlarmsAnswer = z.infer<typeof alarmsSchema>;

/** `GET|PUT /api/alarms/seen`: up to where this operator has seen what happened; null: not at all. */
export const seenSchema = z.strictObject({ until: z.nullable(instantText) });
export type Seen = z.infer<typeof seenSchema>;
