import 'server-only';
import type { LiveRecord } from '#lib/api/live-record.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';

export interface ExportHead {
  /** Boxes that do not cross 180°. */
  readonly covered: readonly Bbox[];
  readonly layers: readonly Layer[];
  readonly asOf: string;
  /** RFC 3339, half-open; `undefined` for live positions. */
  readonly window: { readonly start: string; readonly end: string } | undefined;
  readonly filter: string;
}

export interface ExportedPositions {
  readonly kind: 'positions';
  /** Only `TRAIL_FIELDS` of a `trail` are kept. */
  readonly row: 'position' | 'trail';
  readonly layer: Layer;
  /** False if this place and time had more positions than could be read. */
  readonly complete: boolean;
  readonly records: readonly LiveRecord[];
}

interface ExportedGap {
  readonly kind: 'gap';
  readonly layer: Layer;
  /** May cross 180°. */
  readonly bbox: Bbox;
  readonly window: ExportHead['window'];
  readonly reason: string;
}

export type ExportItem = ExportedPositions | ExportedGap;

export interface ExportWriter {
  readonly mediaType: string;
  start(head: ExportHead): string;
  item(item: ExportItem): string;
  end(): string;
}
