import 'server-only';
import type { CompactPart, PartLine } from '#lib/api/history-line.ts';
import { writeHead } from '#lib/codec/json-head.ts';
import { positionsOf } from '#lib/codec/record-columns.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { corners } from '#lib/geo/corners.ts';
import { formatInstant } from '#lib/time/instant.ts';
import { apiRecord } from '../upstream/api-record.ts';
import type { LoadEvent } from './history-load.ts';
import { type HistoryPart, unpackObservations } from './parts/history-part.ts';

/** @param area without it, parts are whole, and may reach out of the requested box */
export async function* historyLines(events: AsyncIterable<LoadEvent>, area?: Bbox): AsyncGenerator<Uint8Array> {
  for await (const event of events) {
    const line = event.kind === 'line' ? event.line : await partLine(event.part, area);
    yield Buffer.from(`${JSON.stringify(line)}\n`);
  }
}

/** Makes the lines of the stream, see lib/api/history-line.ts. */
export async function* compactHistory(events: AsyncIterable<LoadEvent>): AsyncGenerator<Uint8Array> {
  for await (const event of events) {
    if (event.kind === 'line') yield writeHead(event.line);
    else {
      yield writeHead(compactPart(event.part));
      yield event.part.body;
    }
  }
}

function compactPart(part: HistoryPart): CompactPart {
  return { ...partHead(part), records: part.records, bytes: part.body.byteLength };
}

async function partLine(part: HistoryPart, area: Bbox | undefined): Promise<PartLine> {
  const records = await historyRecordsOf(part);
  const isIn = ({ longitude, latitude }: PartLine['records'][number]) =>
    area === undefined || bboxContains(area, longitude, latitude);
  return { ...partHead(part), records: records.filter(isIn) };
}

/**
 * Records with the contract's field names, null for "not reported". Only live records expire, so `staleAfter` is
 * dropped.
 */
export async function historyRecordsOf({ body }: HistoryPart): Promise<PartLine['records']> {
  const positions = positionsOf(await unpackObservations(body));
  return positions.map((position) => apiRecord({ ...position, staleAfter: undefined }));
}

function partHead({ layer, bbox, window, truncated, unreadable }: HistoryPart) {
  return {
    type: 'part' as const,
    layer,
    bbox: corners(bbox),
    start: formatInstant(window.start),
    end: formatInstant(window.end),
    complete: !truncated && unreadable === 0,
    unreadable,
  };
}
