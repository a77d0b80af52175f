import 'server-only';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { z } from 'zod';
import { liveReasonSchema } from '#lib/api/layer-reason.ts';
import { splitHead, writeHead } from '#lib/codec/json-head.ts';
import { LAYERS } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { AreaRecords } from '../ports/snapshots.ts';

const inflate = promisify(inflateRaw);

/** Many times what a full plan's largest area has: whoever else writes to the store must not fill our memory. */
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
});

/** A snapshot without its records. */
export type SnapshotHead = Omit<AreaRecords, 'positions'>;

/** What is stored of a snapshot: its head, and a frame, compressed as viewers are given it. */
export interface SnapshotBody {
  readonly head: SnapshotHead;
  readonly frame: Uint8Array;
}

export function writeBody(head: SnapshotHead, frame: Uint8Array): Buffer {
  return Buffer.concat([writeHead(head), frame]);
}

/** What the store makes of it: two numbers in decimal digits, a line feed, and the body. @throws Error where it is anything else */
export function readBody(stored: Buffer): SnapshotBody & { readonly numbers: readonly [number, number] } {
  const line = stored.indexOf('\n');
  const [, one, other] = /^(\d{1,15}) (\d{1,15})$/.exec(stored.toString('latin1', 0, Math.max(0, line))) ?? [];
  if (one === undefined || other === undefined) throw new Error('this is no snapshot');
  const body = stored.subarray(line + 1);
  const { head, end } = splitHead(body);
  const { incomplete, ...rest } = headSchema.parse(head);
  // A copy: what came from the network is part of a larger buffer.
  const frame = new Uint8Array(body.subarray(end));
  return { numbers: [Number(one), Number(other)], head: { ...rest, incomplete }, frame };
}

/** @throws Error where it is damaged or too large */
export function inflated(frame: Uint8Array): Promise<Uint8Array> {
  return inflate(frame, { maxOutputLength: FRAME_MAX_BYTES });
}
