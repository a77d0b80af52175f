import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { LAYERS } from '#lib/contract/operation.ts';
import { POSITION_ORIGINS, type TrackKey } from '../fix.ts';
import type { TimedMessage } from '../fusion/feed-times.ts';
import type { FeedTraits } from '../fusion/fused-feed.ts';

/** What one station sent since the last time. */
export interface StationMessage {
  readonly feed: FeedTraits;
  readonly message: TimedMessage;
}

/** What the stations of one service sent. */
export interface FixBatch {
  /** Which service read them, as whoever runs it knows it. */
  readonly service: string;
  readonly stations: readonly StationMessage[];
}

const ms = z.number().min(0).max(8.64e15);
const orNull = z.number().nullable();

const fixSchema = z.object({
  layer: z.enum(LAYERS),
  trackKey: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .transform((key) => key as TrackKey),
  feedTimeMs: z.number().optional(),
  trackTimeMs: z.number().optional(),
  lon: z.number().min(-180).max(180),
  lat: z.number().min(-90).max(90),
  altitudeM: orNull,
  heightAglM: orNull,
  speedMps: orNull,
  headingDeg: orNull,
  onGround: z.boolean(),
  origin: z.enum(POSITION_ORIGINS),
  accuracyM: orNull,
  emergencyState: z.string().nullable(),
  testBroadcast: z.boolean(),
});

const batchSchema = z.object({
  service: z.string(),
  stations: z.array(
    z.object({
      feed: z.object({ id: z.string(), aggregates: z.boolean(), simulated: z.boolean() }),
      message: z.object({
        clock: z.object({
          basis: z.enum(['feed', 'corrected', 'arrival']),
          errorMs: z.number().optional(),
          spreadMs: z.number(),
          isDoubtful: z.boolean(),
        }),
        fixes: z.array(z.object({ fix: fixSchema, observedMs: ms, slackMs: z.number() })),
      }),
    }),
  ),
});

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const UNZIPPED_MAX_BYTES = 1 << 26;

/** JSON, compressed. Only what the schema lists is in it: what a feed's settings say beside its traits, its address for example, is not. */
export function writeBatch({ service, stations }: FixBatch): Promise<Uint8Array> {
  const batch: FixBatch = {
    service,
    stations: stations.map(({ feed: { id, aggregates, simulated }, message }) => ({
      feed: { id, aggregates, simulated },
      message,
    })),
  };
  return compress(JSON.stringify(batch));
}

/** @returns undefined if it is no batch, whatever the bytes */
export async function readBatch(bytes: Uint8Array): Promise<FixBatch | undefined> {
  try {
    const json = await decompress(bytes, { maxOutputLength: UNZIPPED_MAX_BYTES });
    return batchSchema.parse(JSON.parse(json.toString('utf8'))) as FixBatch;
  } catch {
    return undefined;
  }
}
