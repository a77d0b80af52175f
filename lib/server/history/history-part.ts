import 'server-only';
import { formatBbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { Part } from './split/part.ts';

/** What one request gave of a box and window of one layer. */
export interface HistoryPart extends Part {
  readonly layer: Layer;
  readonly records: number;
  readonly truncated: boolean;
  /** Records that broke the contract and were left out. */
  readonly unreadable: number;
  /** The observations as lib/codec/observations.ts writes them, raw deflate: kept, and sent to browsers, as it is. */
  readonly body: Uint8Array;
}

/** The head of a part that was not truncated. */
export type WholePart = Pick<HistoryPart, 'bbox' | 'window' | 'records'>;

/** What a part takes where it is kept, beside its body. */
export const ENTRY_BYTES = 400;

export function partKey(layer: Layer, { bbox, window }: Part): string {
  return `${layer} ${formatBbox(bbox)} ${window.start} ${window.end}`;
}
