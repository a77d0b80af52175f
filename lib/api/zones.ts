import * as z from 'zod/mini';
import { instantParameter, instantText } from '#lib/time/instant-schema.ts';
import { watchedStretchSchema } from '../zones/alarm.ts';
import { zoneContentSchema } from '../zones/zone.ts';
import { shortName } from './short-name.ts';

const zoneId = z.uuid({ error: 'must be the id of a zone' });

/** Body of `POST /api/zones`. */
export const newZoneSchema = z.strictObject({
  /** 1 to 80 characters, unique for its operator. */
  name: shortName,
  /** Every operator sees the zone and its alarms. */
  shared: z._default(z.boolean(), false),
  ...zoneContentSchema.shape,
});
export type NewZone = z.infer<typeof newZoneSchema>;

/** Body of `PATCH /api/zones/ID`: the zone as it shall be, and the revision that it was read at. */
export const zoneChangeSchema = z.strictObject({ ...newZoneSchema.shape, revision: z.int().check(z.gte(1)) });
export type ZoneChange = z.infer<typeof zoneChangeSchema>;

const zoneSchema = z.object({
  id: zoneId,
  /** Counts the zone's changes, from 1. An alarm names the revision that made it. */
  revision: z.int().check(z.gte(1)),
  name: z.string(),
  shared: z.boolean(),
  /** The zone belongs to this operator. */
  mine: z.boolean(),
  /** Name of its operator; null where no sign-in is needed. */
  owner: z.nullable(z.string()),
  changed_at: instantText,
  ...zoneContentSchema.shape,
});
export type Zone = z.infer<typeof zoneSchema>;

/** The price of watching a zone. An embedded service without an allowance costs nothing. */
export const zonePriceSchema = z.object({
  /** Upstream requests a day if the zone is read every 5 s during its hours. Zones that need the same area share its cost. null: no allowance. */
  requests_a_day: z.nullable(z.number().check(z.nonnegative())),
  /** Of these, what the allowance of zones affords. */
  affordable_a_day: z.nullable(z.number().check(z.nonnegative())),
  /** The seconds between two reads that the allowance affords; null: as often as the upstream changes. */
  every_s: z.nullable(z.number().check(z.nonnegative())),
});
export type ZonePrice = z.infer<typeof zonePriceSchema>;

/** Body of `POST /api/zones/price`: a zone that is not saved, or as it would be changed. */
export const zonePriceQuestionSchema = z.strictObject({
  /** The zone that it would replace. */
  id: z.optional(zoneId),
  shape: zoneContentSchema.shape.shape,
  hours: z._default(zoneContentSchema.shape.hours, null),
  rules: zoneContentSchema.shape.rules,
});

/** Whether the zone is watched now: the last stretch of its ledger that has not ended. */
const watchedNowSchema = z.object({
  state: watchedStretchSchema.shape.state,
  /** Since when it is in this state, upstream time. */
  since: instantText,
  reason: watchedStretchSchema.shape.reason,
});
export type WatchedNow = z.infer<typeof watchedNowSchema>;

export const pricedZoneSchema = z.object({
  zone: zoneSchema,
  price: zonePriceSchema,
  /** null: not watched yet, or outside its hours. */
  watched: z._default(z.nullable(watchedNowSchema), null),
});
export type PricedZone = z.infer<typeof pricedZoneSchema>;

/** The query of `GET /api/zones`. */
export const zonesQuerySchema = z.strictObject({
  /** The zones as they were then; default: as they are. */
  at: z.optional(instantParameter('at')),
});

/** `GET /api/zones`: own zones first. */
export const zonesSchema = z.object({ zones: z.array(pricedZoneSchema) });
export type ZonesAnswer = z.infer<typeof zonesSchema>;

/** The query of `GET /api/zones/ID/watched`. */
export const watchedQuerySchema = z.strictObject({ start: instantParameter('start'), end: instantParameter('end') });

export const watchedSchema = z.object({ stretches: z.array(watchedStretchSchema) });
export type WatchedAnswer = z.infer<typeof watchedSchema>;
