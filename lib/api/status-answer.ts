import * as z from 'zod/mini';
import { cornersSchema } from '../geo/corners.ts';
import { instantText } from '../time/instant-schema.ts';
import { failureReasonSchema } from './layer-reason.ts';
import { layerSchema } from './layer-schema.ts';
import { refreshReasonSchema } from './refresh-reason.ts';

/** One of the account's two allowances, as learnt from the upstream's headers; null means "not known yet". */
const allowanceWindowSchema = z.object({
  remaining: z.nullable(z.int().check(z.nonnegative())),
  /** Reserved for requests that have not been sent yet. */
  reserved: z.int().check(z.nonnegative()),
  /** The largest remaining number seen at the start of a window. */
  size: z.nullable(z.int().check(z.nonnegative())),
  resets_at: instantText,
});

const statusLayerSchema = z.discriminatedUnion('state', [
  /** `ok`: the latest request succeeded. `unknown`: none was made yet. */
  z.object({ state: z.enum(['ok', 'unknown']), reason: z.null(), since: z.null(), until: z.null() }),
  z.object({
    state: z.enum(['failing', 'denied']),
    reason: failureReasonSchema,
    since: z.nullable(instantText),
    until: z.nullable(instantText),
  }),
]);

const plannedAreaSchema = z.object({
  layer: layerSchema,
  bbox: cornersSchema,
  viewers: z.int().check(z.positive()),
  /** Requests that one refresh takes. */
  cost: z.int().check(z.positive()),
  /** The refresh interval; null where areas are read whenever they change, and for a new area that waits for its turn. */
  interval_ms: z.nullable(z.int().check(z.positive())),
  /** null before the first refresh. */
  fetched_at: z.nullable(instantText),
  records: z.int().check(z.nonnegative()),
  /** Why it is not refreshed now; null while it is, or is about to be. */
  reason: z.nullable(refreshReasonSchema),
  /** When it is refreshed or tried next; null where that is not known. */
  until: z.nullable(instantText),
});

/** Several servers that share the account. */
const serversSchema = z.object({
  /** Which one sends the requests of all; null while that is not known. */
  writer: z.nullable(z.string()),
  all: z.array(z.object({ name: z.string(), viewers: z.int().check(z.nonnegative()) })),
});

/** `GET /api/status`: the account's allowance, the planned areas, and why each is not refreshed. Times are on the upstream's clock. */
export const statusAnswerSchema = z.object({
  as_of: instantText,
  /** False over the embedded service alone: it counts nothing, so nothing is known of minute and day. */
  has_allowance: z.boolean(),
  minute: allowanceWindowSchema,
  day: allowanceWindowSchema,
  /** Requests of this server, or of all that share a store, since midnight UTC that counted against the allowance. */
  spent_today: z.int().check(z.nonnegative()),
  /** Requests per minute at which the day's allowance lasts until midnight UTC; null if the allowance is not known. */
  pace_per_minute: z.nullable(z.number().check(z.nonnegative())),
  /** Until when the upstream asked us to send no requests at all. */
  paused_until: z.nullable(instantText),
  /** While the day's allowance is used up: when one request checks that, or when the day ends. */
  used_up_until: z.nullable(instantText),
  /** True after the upstream rejected the key: one request an hour tries it again, and a changed one is tried at once. */
  key_refused: z.boolean(),
  layers: z.record(layerSchema, statusLayerSchema),
  viewers: z.int().check(z.nonnegative()),
  areas: z.array(plannedAreaSchema),
  /** null for a server alone. */
  servers: z.nullable(serversSchema),
});

export type StatusAnswer = z.infer<typeof statusAnswerSchema>;
export type PlannedArea = z.infer<typeof plannedAreaSchema>;

/** The body of `POST /api/status`: requests an immediate retry of a denied layer. */
export const recheckBodySchema = z.strictObject({ recheck: layerSchema });
