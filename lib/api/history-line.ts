import { z } from 'zod';
import { cornersSchema } from '../geo/corners.ts';
import { layerSchema } from '../model/position.ts';
import { instantText, windowTexts } from '../time/instant-schema.ts';
import { failureReasonSchema, pastReasonSchema } from './layer-reason.ts';
import { liveRecordSchema } from './live-record.ts';

const placeSchema = z.object({ bbox: cornersSchema, ...windowTexts });

/**
 * A minute by how much is known of it: `c` complete, `t` truncated (the rest cannot be had), `l` loading, `f` failed,
 * `n` not asked for.
 */
export const MINUTE_LETTERS = { c: 'complete', t: 'truncated', l: 'loading', f: 'failed', n: 'not-asked' } as const;
export type MinuteLetter = keyof typeof MINUTE_LETTERS;

const partHeadSchema = placeSchema.extend({
  type: z.literal('part'),
  layer: layerSchema,
  /** False where the service had more than it gives for the smallest window and box. */
  complete: z.boolean(),
  /** Records that broke the contract and were left out. */
  unreadable: z.int().nonnegative(),
});

/** A part as scripts get it. An observation at an edge between two boxes stands in both parts. */
const partLineSchema = partHeadSchema.extend({ records: z.array(liveRecordSchema.omit({ stale_after: true })) });

/** A part as the browser gets it: its records follow as `bytes` bytes (lib/codec/observations.ts, raw deflate). */
const compactPartSchema = partHeadSchema.extend({
  records: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
});

const layerProgressSchema = z.object({
  parts_done: z.int().nonnegative(),
  parts_known: z.int().nonnegative(),
  requests_made: z.int().nonnegative(),
  /** Requests that are still to be made, as far as can be told. */
  requests_expected: z.int().nonnegative(),
  /** A letter for each minute of the window, the first one beginning at its start. */
  minutes: z.string().regex(new RegExp(`^[${Object.keys(MINUTE_LETTERS).join('')}]*$`)),
});

const heldSchema = z.object({ reason: failureReasonSchema, until: instantText.nullable() });

const progressLineSchema = z.object({
  type: z.literal('progress'),
  layers: z.partialRecord(layerSchema, layerProgressSchema),
  /** Why nothing is asked at this moment, and until when; null while it goes on. */
  held: heldSchema.nullable(),
});

const gapSchema = placeSchema.extend({ reason: pastReasonSchema });

const layerEndSchema = z.object({
  complete: z.boolean(),
  gaps: z.array(gapSchema),
  records: z.int().nonnegative(),
  /** That were made to the upstream; 0 where everything was held already. */
  requests: z.int().nonnegative(),
});

const endLineSchema = z.object({
  type: z.literal('end'),
  layers: z.partialRecord(layerSchema, layerEndSchema),
});

export type PartLine = z.infer<typeof partLineSchema>;
export type CompactPart = z.infer<typeof compactPartSchema>;
export type LayerProgress = z.infer<typeof layerProgressSchema>;
export type ProgressLine = z.infer<typeof progressLineSchema>;
export type LayerEnd = z.infer<typeof layerEndSchema>;
export type EndLine = z.infer<typeof endLineSchema>;

/** Lines of the NDJSON form. */
export const historyLineSchema = z.discriminatedUnion('type', [partLineSchema, progressLineSchema, endLineSchema]);

/** Heads of the compact form. */
export const compactHistoryHeadSchema = z.discriminatedUnion('type', [
  compactPartSchema,
  progressLineSchema,
  endLineSchema,
]);
export type CompactHistoryHead = z.infer<typeof compactHistoryHeadSchema>;

export const HISTORY_LINES_TYPE = 'application/x-ndjson';
/** Asks `GET /api/history` for its compact form: messages of 4 bytes with the length of the head (big-endian), the head as JSON, and what a part's head says follows. */
export const COMPACT_HISTORY_TYPE = 'application/vnd.lookout.history';
