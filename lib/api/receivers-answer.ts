import * as z from 'zod/mini';
import { instantText } from '../time/instant-schema.ts';

const time = z.nullable(instantText);
const count = z.int().check(z.nonnegative());
/** By cause; only what occurred. */
const counts = z.record(z.string(), count);

const receiverSchema = z.object({
  id: z.string(),
  /** Its address, without user and password. */
  url: z.string(),
  /** Several stations stand behind it. */
  aggregates: z.boolean(),
  /** Its positions are simulated. */
  simulated: z.boolean(),
  /** `silent` is connected, without a position for a minute. */
  state: z.enum(['connecting', 'receiving', 'silent', 'lost']),
  /** Since when it is connected, or is not. */
  since: instantText,
  /** Why it is not connected. */
  problem: z.nullable(z.string()),
  /** Null if it was never heard. */
  last_heard_at: time,
  last_position_at: time,
  positions_per_minute: count,
  /** Messages and rows that gave no position. */
  refused: counts,
  /** Positions that were received but not served. */
  not_served: counts,
  /** How far its clock is ahead, in ms; null if it has not said. */
  clock_error_ms: z.nullable(z.number()),
  /** False if the clock is so wrong or unsteady that times of arrival are used. */
  clock_is_used: z.nullable(z.boolean()),
});

/** The status of the receivers, as the service reports it at its socket. Other reported data, such as places, is not passed on. */
export const receiversReportSchema = z.object({
  at: instantText,
  feeds: z.array(receiverSchema),
  /** The problem with the current file of feeds. */
  problems: z.array(z.string()),
  /** How the clock of the service's machine was set last, since its start: when, by the clock after it, and by how much. */
  clock_set: z.nullable(z.object({ at: instantText, by_ms: z.number() })),
  /** The state of the recording; null if it is off. */
  past: z.nullable(
    z.object({
      oldest_at: time,
      bytes: count,
      problem: z.nullable(z.enum(['disk_full', 'disk_failed'])),
      /** Records older than the retention that wait for a confirmation before they are deleted. */
      overdue: z.nullable(z.object({ since: instantText, before: instantText })),
      dropped: counts,
    }),
  ),
});

/**
 * Why the status cannot be read:
 * - `not_running`: no service listens at the socket
 * - `not_permitted`: the socket is another user's
 * - `no_answer`: the service took longer than is waited, or cut its answer short
 * - `unreadable`: it answered something else, or too much
 */
const unreadSchema = z.enum(['not_running', 'not_permitted', 'no_answer', 'unreadable']);

/** The body of `GET /api/admin/receivers`. */
export const receiversAnswerSchema = z.object({
  /** The server's time. */
  as_of: instantText,
  /** The last status that was read; null if there was none. */
  status: z.nullable(receiversReportSchema),
  /** Null if `status` was read for this answer. */
  failure: z.nullable(z.object({ cause: unreadSchema, since: instantText })),
});

export type Receiver = z.infer<typeof receiverSchema>;
export type ReceiversReport = z.infer<typeof receiversReportSchema>;
export type UnreadCause = z.infer<typeof unreadSchema>;
export type ReceiversAnswer = z.infer<typeof receiversAnswerSchema>;
