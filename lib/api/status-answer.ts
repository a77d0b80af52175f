import * as z from 'zod/mini';
import { cornersSchema } from '../geo/corners.ts';
import { instantText } from '../time/instant-schema.ts';
import { refreshReasonSchema, statusReasonSchema } from './layer-reason.ts';
import { layerSchema, receptionAnswerSchema } from './layer-state.ts';

/** Learnt from the upstream's headers. null: not known. */
const allowanceWindowSchema = z.object({
  /** Requests left in this window. */
  remaining: z.nullable(z.int().check(z.nonnegative())),
  /** Reserved for requests that have not been sent yet. */
  reserved: z.int().check(z.nonnegative()),
  /** Requests of a whole window: the largest `remaining` at the start of one. */
  size: z.nullable(z.int().check(z.nonnegative())),
  resets_at: instantText,
});

const reception = z.nullable(receptionAnswerSchema);

const statusLayerSchema = z.discriminatedUnion('state', [
  /** `ok`: the latest request succeeded, and no receiver is known to be missing. `unknown`: no request was made. */
  z.object({
    state: z.enum(['ok', 'unknown']),
    reason: z.null(),
    since: z.null(),
    until: z.null(),
    /** Of the worst planned area; null: no area is planned, its requests fail, or the service does not report it. */
    reception,
  }),
  /** `partly`: some receivers are down, or hear far less than usual. `unequipped`: no receiver could deliver the layer. */
  z.object({
    state: z.enum(['failing', 'denied', 'partly', 'unequipped']),
    reason: statusReasonSchema,
    since: z.nullable(instantText),
    until: z.nullable(instantText),
    reception,
  }),
]);

const plannedAreaSchema = z.object({
  layer: layerSchema,
  bbox: cornersSchema,
  /** Pages whose view needs the area. */
  viewers: z.int().check(z.nonnegative()),
  /** Zones whose boxes need the area: it is read for them without viewers, too. */
  zones: z.int().check(z.nonnegative()),
  /** How many requests one refresh makes. */
  cost: z.int().check(z.positive()),
  /** Refresh interval; null without an allowance, and for a new area that waits. */
  interval_ms: z.nullable(z.int().check(z.positive())),
  /** When the area was last read; null before the first refresh. */
  fetched_at: z.nullable(instantText),
  records: z.int().check(z.nonnegative()),
  /** Why the area is not being refreshed now; null while a refresh runs or is about to start. */
  reason: z.nullable(refreshReasonSchema),
  /** Time of the next refresh or retry, if known. */
  until: z.nullable(instantText),
});

/** The servers that share the account. */
const serversSchema = z.object({
  /** Name of the server that sends all requests; null while there is none. */
  writer: z.nullable(z.string()),
  all: z.array(z.object({ name: z.string(), viewers: z.int().check(z.nonnegative()) })),
});

/** Times are on the upstream's clock. */
export const statusAnswerSchema = z.object({
  as_of: instantText,
  /** Of the server that answers. Servers before 0.4.0 do not report it. */
  version: z.optional(z.string()),
  /** False only with the embedded service, which has no allowance. */
  has_allowance: z.boolean(),
  /** The allowance of this minute. */
  minute: allowanceWindowSchema,
  /** Allowance of this UTC day. */
  day: allowanceWindowSchema,
  /** Requests charged to the allowance since midnight UTC, summed over all servers. */
  spent_today: z.int().check(z.nonnegative()),
  /** Requests a minute at which the day's allowance lasts until midnight UTC. */
  pace_per_minute: z.nullable(z.number().check(z.nonnegative())),
  /** End of a pause that the upstream demanded. */
  paused_until: z.nullable(instantText),
  /** While the day's allowance is used up: time of the next check, or end of the day. */
  used_up_until: z.nullable(instantText),
  /** The upstream rejected the key. One request an hour retries it; a changed key is tried at once. */
  key_refused: z.boolean(),
  layers: z.record(layerSchema, statusLayerSchema),
  /** Pages that requested live positions within the last minute. */
  viewers: z.int().check(z.nonnegative()),
  /** The planned areas. */
  areas: z.array(plannedAreaSchema),
  /** null for a single server. */
  servers: z.nullable(serversSchema),
});

export type StatusAnswer = z.infer<typeof statusAnswerSchema>;
export type PlannedArea = z.infer<typeof plannedAreaSchema>;

/** `POST /api/status`: immediate retry of a denied layer. */
export const recheckBodySchema = z.strictObject({ recheck: layerSchema });
