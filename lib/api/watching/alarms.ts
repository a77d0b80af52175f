import * as z from 'zod/mini';
import { instantParameter, instantText } from '#lib/time/instant-schema.ts';
import { ALARM_ENDS, ALARM_KINDS, ALARM_STATES, flightWatchSchema, trackSchema } from '#lib/zones/alarm.ts';
import { layerSchema } from '../layer-state.ts';
import { liveRecordSchema } from '../live-answer.ts';

export const COMMENT_MAX_LENGTH = 1000;
const comment = z._default(z.string().check(z.maxLength(COMMENT_MAX_LENGTH)), '');

export const CLOSED_AS = ['handled', 'expected', 'nuisance'] as const;

/** Of the alarm as the caller read it: another operator may have answered since. */
const revision = z.int();

const until = z._default(z.nullable(instantText), null);

export const acknowledgeSchema = z.strictObject({
  revision,
  /** With null, it lasts until the alarm ends. */
  until,
  comment,
});

/** Alarms that one request acknowledges or closes. */
export const ANSWERED_MAX = 500;

/** Each alarm once, at most 500. */
const answeredAlarms = z.array(z.strictObject({ id: z.uuid(), revision })).check(
  z.minLength(1),
  z.maxLength(ANSWERED_MAX),
  z.refine((alarms) => new Set(alarms.map(({ id }) => id)).size === alarms.length, {
    error: 'must name each alarm once',
  }),
);

export const acknowledgeAllSchema = z.strictObject({
  alarms: answeredAlarms,
  /** With null, each lasts until its alarm ends. */
  until,
  comment,
});

export const answeredSchema = z.object({
  /** One for each alarm, in the order of the request. */
  answers: z.array(
    z.object({
      id: z.uuid(),
      /** null: the answer is stored. Otherwise why it is not, such as what another operator answered before. */
      refusal: z.nullable(z.object({ code: z.string(), message: z.string() })),
    }),
  ),
});

export const closeSchema = z.strictObject({ revision, as: z.enum(CLOSED_AS), comment });

export const closeAllSchema = z.strictObject({ alarms: answeredAlarms, as: z.enum(CLOSED_AS), comment });

/** An answer of an operator: it is added, and never changed. */
export const alarmNoteSchema = z.object({
  /** `permitted`: a permit was made for it, which `comment` names and which ends at `until`. */
  kind: z.enum(['acknowledged', 'closed', 'permitted']),
  by: z.string(),
  at: instantText,
  /** Only an acknowledgement with an end, and a permit, have it. */
  until: z.nullable(instantText),
  /** Only the note of a closing has it. */
  as: z.nullable(z.enum(CLOSED_AS)),
  comment: z.string(),
});
export type AlarmNote = z.infer<typeof alarmNoteSchema>;

export const alarmSchema = z.object({
  id: z.uuid(),
  /** Number of answers of operators; an answer names the one that its operator read. */
  revision: z.int(),
  zone: z.object({ id: z.uuid(), name: z.string(), revision: z.int() }),
  rule: z.object({ id: z.uuid(), kind: z.string() }),
  layer: layerSchema,
  /** null for a rule about no track. */
  track: z.nullable(z.string()),
  /** The second track of `closer`. */
  other: z.nullable(trackSchema),
  kind: z.enum(ALARM_KINDS),
  /** The observed time at which it opened. */
  opened_at: instantText,
  /** The server's time of the decision. */
  decided_at: instantText,
  state: z.enum(ALARM_STATES),
  /** Set while the state is `unknown`. */
  unknown_since: z.nullable(instantText),
  ended_at: z.nullable(instantText),
  ended: z.nullable(z.enum(ALARM_ENDS)),
  /** 1, plus one for each return within the hold. Of `too_many`: at least so many alarms would be open. */
  count: z.int().check(z.gte(1)),
  /** Seconds from observation to decision where history showed it; null: found live. */
  found_later: z.nullable(z.number()),
  /** The height that the rule needed was null. */
  height_unknown: z.boolean(),
  simulated: z.boolean(),
  test: z.boolean(),
  /** Id of an alarm whose track ended shortly before near here. */
  perhaps_same_as: z.nullable(z.uuid()),
  /** A permit covers it: not announced. */
  expected: z.boolean(),
  /** That permit, and until when it is valid. null: not expected, or not known which one covers it. */
  permit: z.nullable(z.object({ name: z.string(), until: instantText })),
  /** Of `flight_not_received`, whose `rule` is the permit: how much of its time was watched. null: of all other kinds. */
  watched: z.nullable(flightWatchSchema),
  acknowledged: z.nullable(
    z.object({ by: z.string(), at: instantText, until: z.nullable(instantText), comment: z.string() }),
  ),
  closed: z.nullable(z.object({ by: z.string(), at: instantText, as: z.enum(CLOSED_AS), comment: z.string() })),
  /** All answers of operators to this alarm, in order of time. `acknowledged` and `closed` are the latest. */
  notes: z.array(alarmNoteSchema),
  /** Positions that decided, in order of time. */
  evidence: z.array(liveRecordSchema),
});
export type Alarm = z.infer<typeof alarmSchema>;

/** Below the timeouts of proxies. */
export const ALARMS_WAIT_MAX_MS = 20_000;
/** How many alarms an answer may have; more follow with `next`. */
export const ALARMS_MAX = 500;

const alarmFilterParameters = {
  zone: z.optional(z.uuid()),
  state: z.optional(z.enum(['new', 'acknowledged', 'closed', ...ALARM_STATES])),
  /** Part of a comment, reference or name. */
  text: z.optional(z.string().check(z.minLength(1), z.maxLength(80))),
  /** Inclusive. */
  start: z.optional(instantParameter('start')),
  /** Exclusive. */
  end: z.optional(instantParameter('end')),
};
export type AlarmFilter = { readonly [Name in keyof typeof alarmFilterParameters]?: AlarmsQuery[Name] };

export const alarmsQuerySchema = z.strictObject({
  /** `next` of an earlier answer, or an RFC 3339 time. */
  since: z.optional(z.string().check(z.maxLength(64))),
  ...alarmFilterParameters,
  /** Milliseconds to wait for a change after `since`, at most 20,000; default: 0. */
  wait: z.optional(
    z.pipe(
      z.string().check(z.regex(/^\d{1,5}$/, { error: 'wait must be a whole number of milliseconds' })),
      z.transform((text: string) => Math.min(ALARMS_WAIT_MAX_MS, Number(text))),
    ),
  ),
});
export type AlarmsQuery = z.infer<typeof alarmsQuerySchema>;

export const alarmsSchema = z.object({
  /** In the order of their latest change. */
  alarms: z.array(alarmSchema),
  /** The value of `since` for the next request. */
  next: z.string(),
});
export type AlarmsAnswer = z.infer<typeof alarmsSchema>;

const ALARM_EXPORT_FORMATS = ['csv', 'geojson'] as const;
export const EXPORTED_ALARMS_MAX = 100_000;

export const alarmExportQuerySchema = z.strictObject({
  format: z.enum(ALARM_EXPORT_FORMATS, { error: `must be ${ALARM_EXPORT_FORMATS.join(' or ')}` }),
  ...alarmFilterParameters,
});
export type AlarmExportQuery = z.infer<typeof alarmExportQuerySchema>;

/** null where the operator has seen none yet. */
export const seenSchema = z.strictObject({ until: z.nullable(instantText) });
export type Seen = z.infer<typeof seenSchema>;

/** How many stretches an answer may have. */
export const PRESENCE_MAX = 5000;

export const presenceSchema = z.object({
  /** In order of name; null without sign-in, where operators have no names. */
  operators: z.nullable(
    z.array(
      z.object({
        operator: z.string(),
        /** Absences below a minute are left out. */
        stretches: z.array(z.object({ from: instantText, to: instantText })),
      }),
    ),
  ),
  /** true: earlier stretches are left out. */
  cut: z.boolean(),
});
export type PresenceAnswer = z.infer<typeof presenceSchema>;
