import { promisify } from 'node:util';
import { zstdCompress, zstdDecompressSync } from 'node:zlib';
import { z } from 'zod';
import type { TimedMessage } from '../fusion/feed-times.ts';
import type { FeedTraits } from '../fusion/fused-feed.ts';
import { FIX_BYTES, readFixColumns, writeFixColumns } from './fix-columns.ts';

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

const headSchema = z.object({
  service: z.string(),
  emergencyStates: z.array(z.string()),
  stations: z.array(
    z.object({
      feed: z.object({ id: z.string(), aggregates: z.boolean(), simulated: z.boolean() }),
      clock: z.object({
        basis: z.enum(['feed', 'corrected', 'arrival']),
        errorMs: z.number().optional(),
        spreadMs: z.number(),
        isDoubtful: z.boolean(),
      }),
      count: z.int().min(0),
    }),
  ),
});

const LENGTH_BYTES = 4;
const UNZIPPED_MAX_BYTES = 1 << 26;
const compress = promisify(zstdCompress);

/**
 * Compressed: the length of the head; the head, which is JSON; the fixes of all stations in columns. Of a feed only its traits are in it,
 * not what its settings say besides, its address for example.
 */
export function writeBatch({ service, stations }: FixBatch): Promise<Uint8Array> {
  const emergencyStates: string[] = [];
  const columns = writeFixColumns(
    stations.flatMap(({ message }) => message.fixes),
    emergencyStates,
  );
  const head: z.infer<typeof headSchema> = {
    service,
    emergencyStates,
    stations: stations.map(({ feed: { id, aggregates, simulated }, message: { clock, fixes } }) => ({
      feed: { id, aggregates, simulated },
      clock,
      count: fixes.length,
    })),
  };
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(text.length);
  return compress(Buffer.concat([length, text, columns]));
}

/** At once, which takes a millisecond and no turn of another thread. @returns undefined if it is no batch, whatever the bytes */
export function readBatch(zipped: Uint8Array): FixBatch | undefined {
  try {
    const bytes = zstdDecompressSync(zipped, { maxOutputLength: UNZIPPED_MAX_BYTES });
    const headEnd = LENGTH_BYTES + bytes.readUInt32LE();
    const head = headSchema.parse(JSON.parse(bytes.toString('utf8', LENGTH_BYTES, headEnd)));
    const count = head.stations.reduce((sum, station) => sum + station.count, 0);
    const columns = bytes.subarray(headEnd);
    if (columns.length !== count * FIX_BYTES) return undefined;
    const fixes = readFixColumns(columns, head.emergencyStates);
    let from = 0;
    const stations = head.stations.map((station) => {
      const { basis, errorMs, spreadMs, isDoubtful } = station.clock;
      const message = {
        clock: { basis, errorMs, spreadMs, isDoubtful },
        fixes: fixes.slice(from, from + station.count),
      };
      from += station.count;
      return { feed: station.feed, message };
    });
    return { service: head.service, stations };
  } catch {
    return undefined;
  }
}
