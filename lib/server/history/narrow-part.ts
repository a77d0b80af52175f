import 'server-only';
import { positionsOf } from '#lib/codec/record-columns.ts';
import { bboxContains } from '#lib/geo/bbox.ts';
import { windowContains } from '#lib/time/window.ts';
import { type HistoryPart, partKey } from './history-part.ts';
import { packObservations, unpackObservations } from './pack-observations.ts';
import type { Part } from './split/part.ts';

/**
 * What a whole part has of one that lies in it. `unreadable` stays as it is: nobody knows where those records lay.
 */
export async function narrowPart(part: HistoryPart, { bbox, window }: Part): Promise<HistoryPart> {
  if (partKey(part.layer, part) === partKey(part.layer, { bbox, window })) return part;
  const positions = (await unpackObservations(part.body))
    .flatMap(positionsOf)
    .filter(({ lon, lat, observedAt }) => windowContains(window, observedAt) && bboxContains(bbox, lon, lat));
  return { ...part, bbox, window, records: positions.length, body: await packObservations(positions) };
}
