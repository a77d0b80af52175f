import 'server-only';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { z } from 'zod';
import { liveReasonSchema } from '#lib/api/layer-reason.ts';
import { decodeFrame } from '#lib/codec/frame.ts';
import { splitHead, writeHead } from '#lib/codec/json-head.ts';
import { positionsOf } from '#lib/codec/record-columns.ts';
import { RECEPTION_STATES } from '#lib/contract/reception.ts';
import { LAYERS } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { AreaRecords, AreaSnapshot } from '../live/snapshots.ts';

const inflate = promisify(inflateRaw);

/** Bounds memory against rows of other programs. */
const FRAME_MAX_BYTES = 64 * 1024 * 1024;

const instantSchema = z.number().transform(upstreamInstant);
const headSchema = z.object({
  area: z.object({
    key: z.string(),
    layer: z.enum(LAYERS),
    bbox: z.object({ west: z.number(), south: z.number(), east: z.number(), north: z.number() }),
  }),
  fetchedAt: instantSchema,
  readAt: instantSchema,
  incomplete: z.optional(liveReasonSchema),
  unreadable: z.int().nonnegative(),
  reception: z.optional(
    z.object({
      state: z.enum(RECEPTION_STATES),
      since: z.optional(instantSchema),
      receivers: z.int().nonnegative(),
      receiving: z.int().nonnegative(),
    }),
  ),
});

export async function writeFrameBody(snapshot: AreaSnapshot): Promise<Uint8Array> {
  const { area, fetchedAt, readAt, incomplete, unreadable, reception } = snapshot;
  const head = { area, fetchedAt, readAt, incomplete, unreadable, reception };
  return Buffer.concat([writeHead(head), await snapshot.full()]);
}

/** @throws Error if it is damaged or too large */
export async function readFrameBody(body: Uint8Array): Promise<AreaRecords> {
  const { head, end } = splitHead(body);
  const { incomplete, reception, ...rest } = headSchema.parse(head);
  const frame = await inflate(body.subarray(end), { maxOutputLength: FRAME_MAX_BYTES });
  const positions = positionsOf(decodeFrame(new Uint8Array(frame)).records);
  return {
    ...rest,
    incomplete,
    reception: reception && { ...reception, since: reception.since },
    positions: new Map(positions.map((position) => [position.ref, position])),
  };
}
