import { z } from 'zod';
import { cornersSchema } from '../geo/corners.ts';
import { layerSchema } from '../model/position.ts';
import { layerAnswerSchema, viewAnswerSchema } from './live-answer.ts';

/** Asks `GET /api/live` for its compact form, in the Accept header; the answer has it as its content type. */
export const COMPACT_LIVE_TYPE = 'application/vnd.lookout.live';

/** One area's records: bodies that follow each other, and where they are to be used. */
const areaPartSchema = z.object({
  /** Stays the same for as long as the server runs; `since` names it. */
  area: z.string(),
  sequence: z.int().positive(),
  /** True: the bodies are deltas, applied one after the other to what `since` named. False: one full frame. */
  deltas: z.boolean(),
  /** Bytes of each compressed body, in the order in which they follow. None where nothing changed. */
  bodies: z.array(z.int().nonnegative()),
  /** Only records in these boxes are this area's to show; elsewhere another area knows better, or nobody asked. */
  regions: z.array(cornersSchema),
});

export type AreaPart = z.infer<typeof areaPartSchema>;

const compactLayerSchema = layerAnswerSchema.extend({ parts: z.array(areaPartSchema) });

/**
 * The head of the compact form: 4 bytes with its length (big-endian), the head as JSON in UTF-8, then all bodies in the order of
 * layers (rid, adsb), parts and bodies, each compressed by itself (raw deflate, RFC 1951). A body is a frame of
 * lib/codec/frame. An area that the client has and that is not named is of no more use to it.
 */
export const compactHeadSchema = viewAnswerSchema.extend({
  layers: z.partialRecord(layerSchema, compactLayerSchema),
});

export type CompactHead = z.infer<typeof compactHeadSchema>;

/** What a client has: the sequence that it holds of each area. */
export type Since = ReadonlyMap<string, number>;

/** `area:sequence`, separated by commas. */
export function formatSince(since: Since): string {
  return Array.from(since, ([area, sequence]) => `${area}:${sequence}`).join(',');
}

const sinceItem = /^([0-9a-z-]{1,40}):([1-9]\d{0,14})$/;

/** `undefined` where the text is not a `since`. */
export function parseSince(text: string): Since | undefined {
  const since = new Map<string, number>();
  for (const item of text.split(',')) {
    const match = sinceItem.exec(item);
    if (!match) return undefined;
    since.set(match[1] as string, Number(match[2]));
  }
  return since;
}
