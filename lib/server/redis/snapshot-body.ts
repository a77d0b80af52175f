import 'server-only';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { z } from 'zod';
import { liveReasonSchema } from '#lib/api/layer-reason.ts';
import { decodeFull } from '#lib/codec/frame/decode-frame.ts';
import { encodeFull } from '#lib/codec/frame/encode-frame.ts';
import { splitHead, writeHead } from '#lib/codec/json-head.ts';
import { quantise } from '#lib/codec/quantise.ts';
import type { QuantisedRecords } from '#lib/codec/quantised-records.ts';
import { positionsOf } from '#lib/codec/record-columns.ts';
import { LAYERS, type Position } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { AreaRecords, AreaSnapshot } from '../ports/snapshots.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Many times what a full plan's largest area has: whoever else writes to the store must not fill our memory. */
const FRAME_MAX_BYTES = 64 * 1024 * 1024;

const headSchema = z.object({
  area: z.object({
    key: z.string(),
    layer: z.enum(LAYERS),
    bbox: z.object({ west: z.number(), south: z.number(), east: z.number(), north: z.number() }),
  }),
  fetchedAt: z.number().transform(upstreamInstant),
  incomplete: z.optional(liveReasonSchema),
  unreadable: z.int().nonnegative(),
});

/** The records rounded to the steps of the compact form, as every replica sees them. */
export function asShared(records: AreaRecords): { readonly shared: AreaRecords; readonly quantised: QuantisedRecords } {
  const quantised = quantise(records.positions.values());
  return { shared: { ...records, positions: byReference(quantised) }, quantised };
}

/** A head, and the frame that viewers are given, compressed. */
export async function snapshotBody(records: AreaRecords, quantised: QuantisedRecords): Promise<Buffer> {
  const { positions: _, ...head } = records;
  return Buffer.concat([writeHead(head), await deflate(encodeFull(quantised))]);
}

/** What the store makes of it: the sequence in decimal digits, a line feed, and the body. @throws Error where it is anything else */
export async function readSnapshot(stored: Buffer): Promise<AreaSnapshot> {
  const line = stored.indexOf('\n');
  const sequence = Number(stored.subarray(0, line).toString('latin1'));
  if (!Number.isSafeInteger(sequence) || sequence < 1) throw new Error('this is no snapshot');
  const body = stored.subarray(line + 1);
  const { head, end } = splitHead(body);
  const frame = await inflate(body.subarray(end), { maxOutputLength: FRAME_MAX_BYTES });
  const { incomplete, ...rest } = headSchema.parse(head);
  return { ...rest, incomplete, positions: byReference(decodeFull(frame)), sequence };
}

function byReference(records: QuantisedRecords): ReadonlyMap<string, Position> {
  return new Map(positionsOf(records).map((position) => [position.ref, position]));
}
