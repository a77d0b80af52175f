import { epochMs } from '#lib/time/instant.ts';
import { orUnavailable } from '../../postgres/or-unavailable.ts';
import type { Query } from '../../postgres/query.ts';
import { DamagedBytes } from '../columns/damaged-bytes.ts';
import { type LayerPeriod, periodName } from '../period.ts';
import type { SegmentBytes } from '../segment/segment-bytes.ts';
import { dayTable } from './day-table.ts';

/**
 * The bytes of a segment that is a row of a database.
 * @param catchUp reads what others have changed: what the retention has deleted is not damaged
 */
export function databaseBytes(query: Query, { layer, start }: LayerPeriod, catchUp: () => Promise<void>): SegmentBytes {
  const table = dayTable(start);
  const name = `${table} ${layer} ${periodName(start)}`;
  return {
    name,
    async read(offset, length) {
      const rows = await orUnavailable(
        query<{ part: Uint8Array }>(
          `select substring(bytes from $3 for $4) as part from ${table} where start = $2 and layer = $1`,
          [layer, epochMs(start), offset + 1, length],
        ),
      ).catch((failure: unknown) => {
        if (isMissingTable(failure)) return [];
        throw failure;
      });
      const part = rows[0]?.part;
      if (part?.length === length) return part;
      // Whether it was deleted, not lost, is known once what the others did is.
      await catchUp();
      throw new DamagedBytes(part === undefined ? 'it is missing' : 'it ends too early');
    },
    close: () => Promise.resolve(),
  };
}

function isMissingTable(failure: unknown): boolean {
  return failure instanceof Error && 'code' in failure && failure.code === '42P01';
}
