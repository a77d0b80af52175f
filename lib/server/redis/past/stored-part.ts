import 'server-only';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { z } from 'zod';
import { splitHead, writeHead } from '#lib/codec/json-head.ts';
import { decodeObservations } from '#lib/codec/observations.ts';
import { LAYERS } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { type HistoryPart, partKey } from '../../parts/history-part.ts';
import { READER_VERSION } from '../../upstream/read-page.ts';

const inflate = promisify(inflateRaw);

/** Many times what a page of the upstream has: whoever else writes to the store must not fill our memory. */
const OBSERVATIONS_MAX_BYTES = 16 * 1024 * 1024;

const headSchema = z.object({
  /** Another version may have dropped records. */
  reader: z.literal(READER_VERSION),
  layer: z.enum(LAYERS),
  bbox: z.object({ west: z.number(), south: z.number(), east: z.number(), north: z.number() }),
  window: z.object({ start: z.number().transform(upstreamInstant), end: z.number().transform(upstreamInstant) }),
  records: z.int().nonnegative(),
  truncated: z.boolean(),
  unreadable: z.int().nonnegative(),
});

/** A head, and the body as it is cached and sent to browsers. */
export function storedPart({ body, ...head }: HistoryPart): Buffer {
  return Buffer.concat([writeHead({ reader: READER_VERSION, ...head }), body]);
}

/**
 * Only what can be read to its end is taken: it goes on to browsers as it is.
 * @throws Error where it is anything else than the part of that key
 */
export async function readStoredPart(stored: Buffer, key: string): Promise<HistoryPart> {
  const { head, end } = splitHead(stored);
  const { reader: _, layer, bbox, window, ...counts } = headSchema.parse(head);
  if (partKey(layer, { bbox, window }) !== key) throw new Error('this is another part');
  // Not a view of the answer, of which the rest would be kept with it.
  const body = Uint8Array.from(stored.subarray(end));
  const rounds = decodeObservations(await inflate(body, { maxOutputLength: OBSERVATIONS_MAX_BYTES }));
  // Of observations that came twice one is kept.
  if (rounds.reduce((sum, { count }) => sum + count, 0) > counts.records) throw new Error('the part is damaged');
  return { layer, bbox, window, ...counts, body };
}
