import * as z from 'zod/mini';
import { cornersSchema } from '../geo/corners.ts';
import { layerSchema } from './layer-state.ts';
import { layerAnswerSchema, viewAnswerSchema } from './live-answer.ts';

/** A longer wait would delay a stop, or the end of a session. */
export const POLL_WAIT_MAX_MS = 2000;

/** The type of `GET /api/live`, for Accept and Content-Type. */
export const COMPACT_LIVE_TYPE = 'application/vnd.lookout.live';

/** One area's records, and the regions that they apply to. */
const areaPartSchema = z.object({
  /** Constant while its sequence means the same records at all servers; `since` refers to it. */
  area: z.string(),
  sequence: z.int().check(z.positive()),
  /** True: apply the bodies in order to the frame given in `since`. False: one full frame. */
  deltas: z.boolean(),
  /** Lengths of compressed bodies in bytes. Empty if nothing changed. */
  bodies: z.array(z.int().check(z.nonnegative())),
  /** Elsewhere another area has newer records, or none were requested. */
  regions: z.array(cornersSchema),
});

export type AreaPart = z.infer<typeof areaPartSchema>;

const compactLayerSchema = z.extend(layerAnswerSchema, { parts: z.array(areaPartSchema) });

/**
 * An answer has 4 bytes with the head's length (big-endian), the head as JSON, and all bodies in the order of layers
 * (rid, adsb), parts and bodies. A body is a frame of lib/codec/frame.ts, raw deflate (RFC 1951). Clients drop areas
 * that the head does not list.
 */
export const compactHeadSchema = z.extend(viewAnswerSchema, {
  layers: z.partialRecord(layerSchema, compactLayerSchema),
});

export type CompactHead = z.infer<typeof compactHeadSchema>;

/** Cached state: the sequence number of each area. */
export type Since = ReadonlyMap<string, number>;

/** `area:sequence` pairs, separated by commas. */
export function formatSince(since: Since): string {
  return Array.from(since, ([area, sequence]) => `${area}:${sequence}`).join(',');
}

const sinceItem = /^([0-9a-z-]{1,40}):([1-9]\d{0,14})$/;

/** `undefined` if the text is malformed. */
export function parseSince(text: string): Since | undefined {
  const since = new Map<string, number>();
  for (const item of text.split(',')) {
    const match = sinceItem.exec(item);
    if (!match) return undefined;
    since.set(match[1] as string, Number(match[2]));
  }
  return since;
}
