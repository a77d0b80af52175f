import * as z from 'zod/mini';
import { UNIT_SYSTEMS } from '#lib/model/units.ts';
import { instantText } from '#lib/time/instant-schema.ts';

/** A person has at most so many subscriptions. */
export const PUSH_MAX = 10;

const timeOfDay = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00'));

export const pushChoicesSchema = z.strictObject({
  /** Heights and positions are in the notification, too. */
  positions: z.boolean(),
  /** Only alarms of zones that this person added. */
  own_zones: z.boolean(),
  /** Nothing is sent between these times of each day; `to` may be on the next day. null: at all times. */
  quiet: z.nullable(z.strictObject({ from: timeOfDay, to: timeOfDay })),
  /** IANA name, of the quiet hours and of the texts. */
  time_zone: z.string().check(z.minLength(1), z.maxLength(64)),
  units: z.enum(UNIT_SYSTEMS),
});
export type PushChoices = z.infer<typeof pushChoicesSchema>;

const endpoint = z.url({ protocol: /^https$/, error: 'must be an address with https' }).check(z.maxLength(1000));

/** As `PushSubscription.toJSON` writes it. */
const browserSubscriptionSchema = z.strictObject({
  endpoint,
  keys: z.strictObject({
    p256dh: z.string().check(z.regex(/^[\w-]{87}$/, 'must be a key of a subscription')),
    auth: z.string().check(z.regex(/^[\w-]{22}$/, 'must be a key of a subscription')),
  }),
});
export type BrowserSubscription = z.infer<typeof browserSubscriptionSchema>;

/** `POST /api/account/push` */
export const newPushSchema = z.strictObject({ ...browserSubscriptionSchema.shape, choices: pushChoicesSchema });
export type NewPush = z.infer<typeof newPushSchema>;

/** `PUT /api/account/push` */
export const pushHereSchema = z.strictObject({
  endpoint,
  /** The browser has replaced that subscription by this one. */
  renewed: z.optional(browserSubscriptionSchema),
});
export type PushHere = z.infer<typeof pushHereSchema>;

/** The own subscription with this endpoint; null: there is none. */
export const pushIdSchema = z.object({ id: z.nullable(z.uuid()) });

const pushRowSchema = z.object({
  id: z.uuid(),
  /** Browser and system, from the User-Agent header. */
  browser: z.string(),
  made_at: instantText,
  /** False: its push service has ended it. */
  is_on: z.boolean(),
  choices: pushChoicesSchema,
  /** The push service accepted the last notice. */
  last_arrived_at: z.nullable(instantText),
  /** The latest failure since then. */
  problem: z.nullable(z.string()),
});
export type PushRow = z.infer<typeof pushRowSchema>;

export const pushAffairsSchema = z.object({
  /** For `applicationServerKey`: an uncompressed point of P-256, base64url. */
  key: z.string(),
  list: z.array(pushRowSchema),
});
export type PushAffairs = z.infer<typeof pushAffairsSchema>;

/** The text of a message for the service worker. It has no position, unless the person chose so. */
export const pushMessageSchema = z.object({
  title: z.string(),
  body: z.string(),
  /** Equal for notices that replace each other. */
  tag: z.string(),
  /** The path that a click opens. */
  path: z.string(),
  /** Epoch milliseconds. */
  at: z.number(),
});
export type PushMessage = z.infer<typeof pushMessageSchema>;
