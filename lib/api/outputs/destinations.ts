import * as z from 'zod/mini';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { instantText } from '#lib/time/instant-schema.ts';
import { shortName } from '../short-name.ts';
import { destinationConfigSchema, NOTICE_KINDS } from './destination-kinds.ts';

/** `flight_not_received`: a flight that a permit of a zone expected. The others are transitions of alarms. */
export const ANNOUNCED = ['opened', 'reopened', 'unknown', 'known', 'ended', 'flight_not_received'] as const;

/** Limits of the schema, which the form shows. */
export const NOTICE_LIMITS = {
  group_s: { min: 0, max: 3600 },
  notices_an_hour: { min: 1, max: 100_000 },
} as const;
const within = ({ min, max }: { readonly min: number; readonly max: number }) => z.int().check(z.gte(min), z.lte(max));

const noticeChoices = {
  units: z._default(z.enum(UNIT_SYSTEMS), 'metric'),
  /** IANA name. */
  time_zone: z._default(z.string().check(z.minLength(1), z.maxLength(64)), 'UTC'),
  /** The transitions that are sent. */
  announces: z._default(z.array(z.enum(ANNOUNCED)).check(z.minLength(1)), ['opened', 'reopened', 'ended']),
  /** The alarms of every zone are sent, also of zones that are not shared. false: those of rules that name it. */
  all_alarms: z._default(z.boolean(), false),
  /** Changes of own receivers are sent: lost, deaf, a wrong clock, and well again. */
  own_receivers: z._default(z.boolean(), false),
  /** Alarms of one zone within this time are one notice; 0: each is sent at once. */
  group_s: z._default(within(NOTICE_LIMITS.group_s), 0),
  /** More are grouped into one notice with their number, sent when the hour is over. null: no limit. */
  notices_an_hour: z._default(z.nullable(within(NOTICE_LIMITS.notices_an_hour)), null),
};

const destinationFields = {
  /** 1 to 80 characters, unique. */
  name: shortName,
  is_on: z._default(z.boolean(), true),
  config: destinationConfigSchema,
  ...noticeChoices,
};

const secret = z.string().check(z.minLength(1), z.maxLength(20_000));

/** `secret` absent: none, or for a webhook one that Lookout makes. */
export const newDestinationSchema = z.strictObject({ ...destinationFields, secret: z.optional(secret) });
export type NewDestination = z.infer<typeof newDestinationSchema>;

/**
 * `revision`: the one that the caller read. The kind cannot change. `secret` absent: unchanged, which another host, port,
 * authority or name, or the end of encryption, does not allow; null: removed, or for a webhook a new one.
 */
export const destinationChangeSchema = z.strictObject({
  ...destinationFields,
  secret: z.optional(z.nullable(secret)),
  revision: z.int(),
});
export type DestinationChange = z.infer<typeof destinationChangeSchema>;

const destinationSchema = z.object({
  id: z.uuid(),
  revision: z.int().check(z.gte(1)),
  ...destinationFields,
  /** How many: a webhook has two or more while they rotate. */
  secrets: z.int().check(z.gte(0)),
  /** Why Lookout switched it off, such as status 410. */
  switched_off: z.nullable(z.object({ at: instantText, reason: z.string() })),
  /** The latest failure since the last arrival. */
  problem: z.nullable(z.object({ since: instantText, text: z.string() })),
  last_arrived_at: z.nullable(instantText),
  next_try_at: z.nullable(instantText),
  waiting: z.int().check(z.gte(0)),
  /** When the first of them was or is due. */
  waiting_since: z.nullable(instantText),
  /** Of the deliveries that are kept, for as long as alarms. */
  given_up: z.int().check(z.gte(0)),
});
export type Destination = z.infer<typeof destinationSchema>;

export const destinationsSchema = z.object({
  /** The server's time. */
  as_of: instantText,
  destinations: z.array(destinationSchema),
});
export type DestinationsAnswer = z.infer<typeof destinationsSchema>;

/** The answer to a new or changed destination: `secret` is shown once, where Lookout made it. */
export const changedDestinationSchema = z.object({ destination: destinationSchema, secret: z.nullable(z.string()) });
export type ChangedDestination = z.infer<typeof changedDestinationSchema>;

/** Operators choose from these for a rule. */
export const destinationNameSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  kind: z.enum(NOTICE_KINDS),
  is_on: z.boolean(),
  all_alarms: z.boolean(),
});
export const destinationNamesSchema = z.object({ destinations: z.array(destinationNameSchema) });
export type DestinationName = z.infer<typeof destinationNameSchema>;
export type DestinationNames = z.infer<typeof destinationNamesSchema>;

const DELIVERY_STATES = ['waiting', 'arrived', 'grouped', 'given_up'] as const;

export const deliverySchema = z.object({
  /** The same over all tries; `webhook-id` of a webhook. */
  id: z.uuid(),
  destination: z.object({ id: z.uuid(), name: z.string(), kind: z.string() }),
  /** `escalated`: no operator had acknowledged. `summary`: "and 41 more". `receiver`: a change of an own one. */
  type: z.enum([...ANNOUNCED, 'escalated', 'summary', 'trial', 'receiver']),
  /** Alarms in it: more than one of a group. */
  alarms: z.int().check(z.gte(0)),
  state: z.enum(DELIVERY_STATES),
  created_at: instantText,
  /** The recipient's server accepted it. */
  arrived_at: z.nullable(instantText),
  tries: z.int().check(z.gte(0)),
  next_try_at: z.nullable(instantText),
  /** Why the last try failed. */
  problem: z.nullable(z.string()),
});
export type NoticeDelivery = z.infer<typeof deliverySchema>;

/** Deliveries of a destination or an alarm, the latest first. */
export const deliveriesSchema = z.object({ deliveries: z.array(deliverySchema) });
export type DeliveriesAnswer = z.infer<typeof deliveriesSchema>;

/** The answer to a trial that begins: the id of its delivery. */
export const trialSchema = z.object({ delivery: z.uuid() });
