import * as z from 'zod/mini';
import { cornersSchema } from '../geo/corners.ts';
import { instantText, windowTexts } from '../time/instant-schema.ts';
import { failureReasonSchema, pastReasonSchema, receptionReasonSchema } from './layer-reason.ts';
import { layerSchema } from './layer-state.ts';
import { liveRecordSchema } from './live-answer.ts';

const placeSchema = z.object({ bbox: cornersSchema, ...windowTexts });

/** `t`: the rest is unavailable. */
export const MINUTE_LETTERS = {
  c: 'complete',
  t: 'truncated',
  l: 'loading',
  f: 'failed',
  n: 'not-requested',
  r: 'receivers_lost',
  p: 'receivers_partly',
  e: 'not_equipped',
} as const;
export type MinuteLetter = keyof typeof MINUTE_LETTERS;

const partHeadSchema = z.extend(placeSchema, {
  type: z.literal('part'),
  layer: layerSchema,
  /** False if even the smallest window and box had more records than the service returns. */
  complete: z.boolean(),
  /** Records that violated the contract and were dropped. */
  unreadable: z.int().check(z.nonnegative()),
});

/** An observation on the edge between two boxes is in both parts. */
const partLineSchema = z.extend(partHeadSchema, { records: z.array(z.omit(liveRecordSchema, { stale_after: true })) });

/** `bytes` of records follow: a full frame of lib/codec/frame.ts, raw deflate. */
const compactPartSchema = z.extend(partHeadSchema, {
  records: z.int().check(z.nonnegative()),
  bytes: z.int().check(z.nonnegative()),
});

const layerProgressSchema = z.object({
  /** How many parts are loaded. */
  parts_done: z.int().check(z.nonnegative()),
  /** Parts that the load knows so far. */
  parts_known: z.int().check(z.nonnegative()),
  /** Requests sent to the upstream. */
  requests_made: z.int().check(z.nonnegative()),
  /** Estimated requests still to send. */
  requests_expected: z.int().check(z.nonnegative()),
  /** One letter per minute: `c` complete, `t` truncated (the service has more, but does not return it), `l` loading, `f` failed, `n` not requested. Of loaded minutes: `r` no receiver delivered, `p` some receivers were down or heard little, `e` there was no receiver for this layer. */
  minutes: z.string().check(z.regex(new RegExp(`^[${Object.keys(MINUTE_LETTERS).join('')}]*$`))),
});

const pauseSchema = z.object({ reason: failureReasonSchema, until: z.nullable(instantText) });

const progressLineSchema = z.object({
  type: z.literal('progress'),
  layers: z.partialRecord(layerSchema, layerProgressSchema),
  /** Reason and end of a pause; null while the load runs. */
  paused: z.nullable(pauseSchema),
});

/** At first and whenever `rank` changes, behind other loads of the operator. */
const queuedLineSchema = z.object({
  type: z.literal('queued'),
  /** Place in the queue; 1 is next. */
  rank: z.int().check(z.positive()),
  /** How many loads of the operator run. */
  running: z.int().check(z.positive()),
});

const gapSchema = z.extend(placeSchema, { reason: pastReasonSchema });

const layerEndSchema = z.object({
  /** Everything that was received is in the answer; see `reception` for what could be received. */
  complete: z.boolean(),
  /** Boxes and windows that are incomplete or missing. */
  gaps: z.array(gapSchema),
  /** Boxes and windows without some or all receivers: no later load can bring what they missed. Absent where the upstream does not report its receivers. */
  reception: z.optional(z.array(z.extend(placeSchema, { reason: receptionReasonSchema }))),
  /** How many records the answer has. */
  records: z.int().check(z.nonnegative()),
  /** Requests sent to the upstream; 0 if everything was cached. */
  requests: z.int().check(z.nonnegative()),
});

const endLineSchema = z.object({
  type: z.literal('end'),
  layers: z.partialRecord(layerSchema, layerEndSchema),
});

export type PartLine = z.infer<typeof partLineSchema>;
export type CompactPart = z.infer<typeof compactPartSchema>;
export type LayerProgress = z.infer<typeof layerProgressSchema>;
export type QueuedLine = z.infer<typeof queuedLineSchema>;
export type ProgressLine = z.infer<typeof progressLineSchema>;
export type LayerEnd = z.infer<typeof layerEndSchema>;
export type EndLine = z.infer<typeof endLineSchema>;

export const historyLineSchema = z.discriminatedUnion('type', [
  partLineSchema,
  queuedLineSchema,
  progressLineSchema,
  endLineSchema,
]);

export const compactHistoryHeadSchema = z.discriminatedUnion('type', [
  compactPartSchema,
  queuedLineSchema,
  progressLineSchema,
  endLineSchema,
]);
export type CompactHistoryHead = z.infer<typeof compactHistoryHeadSchema>;

export const HISTORY_LINES_TYPE = 'application/x-ndjson';
/**
 * Of `GET /api/history`: messages of 4 bytes with the head's length (big-endian), the head as JSON and, for a part,
 * its records.
 */
export const COMPACT_HISTORY_TYPE = 'application/vnd.lookout.history';
