import * as z from 'zod/mini';
import { instantText } from '../../time/instant-schema.ts';

const time = z.nullable(instantText);
const count = z.int().check(z.nonnegative());
/** Counts by cause; causes that did not occur are absent. */
const counts = z.record(z.string(), count);

const receiverSchema = z.object({
  id: z.string(),
  /** Address, without user and password. */
  url: z.string(),
  /** The feed merges several stations. */
  aggregates: z.boolean(),
  /** The feed sends simulated positions. */
  simulated: z.boolean(),
  /** `silent`: connected, but without a position for a minute. */
  state: z.enum(['connecting', 'receiving', 'silent', 'lost']),
  /** Time of the last change between connected and not connected. */
  since: instantText,
  /** Why the feed is not connected. */
  problem: z.nullable(z.string()),
  /** null before the first message. */
  last_heard_at: time,
  last_position_at: time,
  positions_per_minute: count,
  /** Messages and rows without a usable position, by cause. */
  refused: counts,
  /** Positions that were received but not served, by cause. */
  not_served: counts,
  /** How far the receiver's clock is ahead; null if not known. */
  clock_error_ms: z.nullable(z.number()),
  /** False: the clock is too wrong or unsteady, so times of arrival are used. */
  clock_is_used: z.nullable(z.boolean()),
  /** Requests of a UTC day, of a feed that reads another service; null for others. Earlier services leave it out. */
  requests: z.optional(
    z.nullable(
      z.object({
        /** The least that its layers and areas need. */
        needed: count,
        /** The most that it may send. */
        limit: count,
        used: count,
        /** The rest of its account, by its last answer; null if not known. */
        account_left: z.nullable(count),
      }),
    ),
  ),
  /** It hears only this share of what it usually does, since then. null: it hears well, or nothing is known of it. */
  deaf: z._default(z.nullable(z.object({ share: z.number().check(z.nonnegative()), since: instantText })), null),
});

/** `Hears 35% of what it usually does` */
export function shareText(share: number): string {
  return `Hears ${Math.round(share * 100)}% of what it usually does`;
}

/** From the service's socket. Drops other fields, such as places. */
export const receiversReportSchema = z.object({
  at: instantText,
  feeds: z.array(receiverSchema),
  /** Problems in the current file of feeds. */
  problems: z.array(z.string()),
  /** Last step of the service's clock since its start: time after the step, and size. */
  clock_set: z.nullable(z.object({ at: instantText, by_ms: z.number() })),
  /** The recorded past; null without recording. */
  past: z.nullable(
    z.object({
      oldest_at: time,
      bytes: count,
      problem: z.nullable(z.enum(['disk_full', 'disk_failed'])),
      /** Records that are due for deletion and wait for a confirmation. */
      overdue: z.nullable(z.object({ since: instantText, before: instantText })),
      dropped: counts,
    }),
  ),
});

export const unreadSchema = z.enum([
  // Nothing listens at the socket.
  'not_running',
  // The socket belongs to another user.
  'not_permitted',
  // The request timed out, or was cut off.
  'no_answer',
  // The answer has another form, or is too large.
  'unreadable',
]);

/** `GET /api/admin/receivers` */
export const receiversAnswerSchema = z.object({
  /** The server's time. */
  as_of: instantText,
  /** The last status that was read. */
  status: z.nullable(receiversReportSchema),
  /** Why `status` could not be read for this answer, and since when. */
  failure: z.nullable(z.object({ cause: unreadSchema, since: instantText })),
});

export type Receiver = z.infer<typeof receiverSchema>;
export type ReceiversReport = z.infer<typeof receiversReportSchema>;
export type UnreadCause = z.infer<typeof unreadSchema>;
export type ReceiversAnswer = z.infer<typeof receiversAnswerSchema>;

/** Why the state of the receivers is not known. */
export const UNREAD_TEXTS: Readonly<Record<UnreadCause, string>> = {
  not_running: 'The service that listens to the receivers does not run',
  not_permitted: 'The service that listens to the receivers runs as another user and cannot be reached',
  no_answer: 'The service that listens to the receivers does not answer',
  unreadable:
    'The service that listens to the receivers answers something that cannot be read: it may be another version',
};
