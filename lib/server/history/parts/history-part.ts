import 'server-only';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { Window } from '#lib/time/window.ts';

/** Box and window of one request. The box does not cross 180°; its edges are closed, as they are for the upstream. */
export interface Part {
  readonly bbox: Bbox;
  readonly window: Window;
}

/** The result of one request for a box and window of one layer. */
export interface HistoryPart extends Part {
  readonly layer: Layer;
  readonly records: number;
  readonly truncated: boolean;
  /** Records that broke the contract and were dropped. */
  readonly unreadable: number;
  /** The observations as a full frame (lib/codec/frame.ts), raw deflate: cached, and sent to browsers, unchanged. */
  readonly body: Uint8Array;
}

/** The head of a part that was not truncated. */
export type WholePart = Pick<HistoryPart, 'bbox' | 'window' | 'records'>;

export function partKey(layer: Layer, { bbox, window }: Part): string {
  return `${layer} ${formatBbox(bbox)} ${window.start} ${window.end}`;
}
