import * as z from 'zod/mini';
import { instantParameter, instantText } from '#lib/time/instant-schema.ts';
import {
  layerStretchSchema,
  SUSPENSIONS,
  WINDOW_REASONS,
  WINDOW_STATES,
  watchedStretchSchema,
} from '#lib/zones/alarm.ts';
import { zoneContentSchema } from '#lib/zones/zone.ts';
import { layerSchema } from '../layer-state.ts';
import { shortName } from '../short-name.ts';

const zoneId = z.uuid({ error: 'must be the id of a zone' });

export const newZoneSchema = z.strictObject({
  /** 1 to 80 characters, unique for its operator. */
  name: shortName,
  /** Whether all operators see the zone and its alarms, or its owner and admins alone. Always true without sign-in. */
  shared: z._default(z.boolean(), true),
  ...zoneContentSchema.shape,
});
export type NewZone = z.infer<typeof newZoneSchema>;

/** Of the zone that the caller read. */
const revision = z.int().check(z.gte(1));

export const zoneChangeSchema = z.strictObject({
  ...newZoneSchema.shape,
  /** Default: as before. */
  shared: z.optional(z.boolean()),
  /** The one that the caller read. */
  revision,
});
export type ZoneChange = z.infer<typeof zoneChangeSchema>;

const zoneSchema = z.object({
  id: zoneId,
  /** Counts changes, from 1. */
  revision: z.int().check(z.gte(1)),
  name: z.string(),
  shared: z.boolean(),
  mine: z.boolean(),
  /** null: made where no sign-in was needed. */
  owner: z.nullable(z.string()),
  changed_at: instantText,
  /** When the zone was removed, in an answer about an earlier time; null: it was not. */
  removed_at: z.nullable(instantText),
  ...zoneContentSchema.shape,
});
export type Zone = z.infer<typeof zoneSchema>;

export const zonePriceSchema = z.object({
  /** Upstream requests a day for reads every 5 s; null: no allowance. */
  requests_a_day: z.nullable(z.number().check(z.nonnegative())),
  /** Of these, what the allowance affords while one operator has a page open; without viewers, more. */
  affordable_a_day: z.nullable(z.number().check(z.nonnegative())),
  /** Seconds between reads that the allowance affords; null: as often as the upstream changes. */
  every_s: z.nullable(z.number().check(z.nonnegative())),
});
export type ZonePrice = z.infer<typeof zonePriceSchema>;

export const zonePriceQuestionSchema = z.strictObject({
  /** The zone that it would replace. */
  id: z.optional(zoneId),
  shape: zoneContentSchema.shape.shape,
  hours: z._default(zoneContentSchema.shape.hours, null),
  rules: zoneContentSchema.shape.rules,
});

const watchedState = {
  state: watchedStretchSchema.shape.state,
  /** The upstream's time. */
  since: instantText,
  reason: watchedStretchSchema.shape.reason,
};

const watchedNowSchema = z.object({
  /** Of all layers together: `partly` where they differ. */
  ...watchedState,
  /** The layers that the zone's rules need. */
  layers: z.optional(z.array(z.object({ layer: layerStretchSchema.shape.layer, ...watchedState }))),
});
export type WatchedNow = z.infer<typeof watchedNowSchema>;

const suspendedRuleSchema = z.object({
  /** The rule's id. */
  rule: z.string(),
  layer: layerSchema,
  /** `too_many`: more alarms than are listed. `rule_failed`: a defect; tried again when the zone changes. */
  reason: z.enum(SUSPENSIONS),
  /** The observed time at which it began. */
  since: instantText,
  /** At least so many would be open; null for `rule_failed`. */
  alarms: z.nullable(z.int().check(z.nonnegative())),
});
export type SuspendedRule = z.infer<typeof suspendedRuleSchema>;

export const pricedZoneSchema = z.object({
  zone: zoneSchema,
  price: zonePriceSchema,
  /** null: not watched yet, or outside its hours. */
  watched: z._default(z.nullable(watchedNowSchema), null),
  /** Rules that open no alarms but one about themselves. */
  suspended: z._default(z.array(suspendedRuleSchema), []),
});
export type PricedZone = z.infer<typeof pricedZoneSchema>;

export const zonesQuerySchema = z.strictObject({
  /** Zones as of this time; default: now. */
  at: z.optional(instantParameter('at')),
});

/** The caller's own zones are first. */
export const zonesSchema = z.object({
  zones: z.array(pricedZoneSchema),
  /** Whether the list is empty only because no zone is shared with the caller. */
  unshared: z._default(z.boolean(), false),
});
export type ZonesAnswer = z.infer<typeof zonesSchema>;

/** The most zones that are handed over at once. */
export const HANDED_OVER_MAX = 500;

export const handOverSchema = z.strictObject({
  /** The id of an operator or admin. */
  person: z.string().check(z.minLength(1), z.maxLength(200)),
  zones: z.array(z.strictObject({ id: zoneId, revision })).check(z.minLength(1), z.maxLength(HANDED_OVER_MAX)),
});
export type HandOver = z.infer<typeof handOverSchema>;

export const windowQuerySchema = z.strictObject({
  /** RFC 3339 with a timezone. */
  start: instantParameter('start'),
  /** Exclusive. */
  end: instantParameter('end'),
});

export const watchedSchema = z.object({
  /** The stretches are of all layers together. */
  stretches: z.array(watchedStretchSchema),
  layers: z.array(layerStretchSchema),
});
export type WatchedAnswer = z.infer<typeof watchedSchema>;

export const unwatchedQuerySchema = z.strictObject({
  start: instantParameter('start'),
  end: instantParameter('end'),
  zone: z.optional(zoneId),
  /** The answer has `of_zones`. */
  sums: z.optional(z.literal('true')),
});
export type UnwatchedQuery = z.infer<typeof unwatchedQuerySchema>;

const zoneSumsSchema = z.object({
  zone: z.object({ id: zoneId, name: z.string() }),
  /** When it was made; null: before the window. */
  made_at: z.nullable(instantText),
  /** When it was removed; null: it existed at the end of the window. */
  removed_at: z.nullable(instantText),
  /** The first moment in the window at which it was watched, also in part; null: never. */
  from: z.nullable(instantText),
  /** The end of the last such stretch; null: never. */
  to: z.nullable(instantText),
  /** Together they are as long as the window from `since`, without its future. */
  sums: z.array(
    z.object({
      /** `absent`: not made yet, or removed. */
      state: z.enum(WINDOW_STATES),
      /** `no_rule`: nothing is read for the zone. `no_record`: within its hours, and Lookout does not know why. */
      reason: z.nullable(z.enum(WINDOW_REASONS)),
      seconds: z.number().check(z.gte(0)),
    }),
  ),
});
export type ZoneSums = z.infer<typeof zoneSumsSchema>;

/** Stretches read for an answer. */
export const UNWATCHED_READ_MAX = 20_000;

export const unwatchedSchema = z.object({
  /** Zones with a record in the window, also removed ones. Without one, no layer has a record. */
  zones: z.int().check(z.nonnegative()),
  /** The answer is complete from this time on: `start`, or later if the window has too many stretches. */
  since: instantText,
  /** Layers watched for no zone, for one reason; empty with `zone`. */
  lost: z.array(z.omit(layerStretchSchema, { state: true })),
  /** Of all layers of a zone, without those in `lost`. */
  unwatched: z.array(z.object({ zone: z.object({ id: zoneId, name: z.string() }), ...watchedStretchSchema.shape })),
  /** How long each zone that existed in the window was watched; only with `sums`. */
  of_zones: z.optional(z.array(zoneSumsSchema)),
});
export type UnwatchedAnswer = z.infer<typeof unwatchedSchema>;
export type LostLayer = UnwatchedAnswer['lost'][number];
export type UnwatchedStretch = UnwatchedAnswer['unwatched'][number];
