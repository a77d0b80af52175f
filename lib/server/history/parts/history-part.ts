import 'server-only';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { ReceptionStretch } from '#lib/model/reception.ts';
import type { Window } from '#lib/time/window.ts';

/** Does not cross 180°. Edges are closed, as the upstream's are. */
export interface Part {
  readonly bbox: Bbox;
  readonly window: Window;
}

export interface HistoryPart extends Part {
  readonly layer: Layer;
  readonly records: number;
  readonly truncated: boolean;
  /** Dropped, because they broke the contract. */
  readonly unreadable: number;
  /** Within the window, in order; absent where the upstream reports none. */
  readonly reception?: readonly ReceptionStretch[];
  /** A full frame (lib/codec/frame.ts), raw deflate; sent to browsers unchanged. */
  readonly body: Uint8Array;
}

export type WholePart = Pick<HistoryPart, 'bbox' | 'window' | 'records'>;

export function partKey(layer: Layer, { bbox, window }: Part): string {
  return `${layer} ${formatBbox(bbox)} ${window.start} ${window.end}`;
}

export function withReception(
  part: Omit<HistoryPart, 'reception'>,
  reception: readonly ReceptionStretch[],
): HistoryPart {
  return reception.length === 0 ? part : { ...part, reception };
}
