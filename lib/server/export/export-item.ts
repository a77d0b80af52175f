import 'server-only';
import type { LiveRecord } from '#lib/api/live-record.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';

/** The subject of the export, known before the first position. */
export interface ExportHead {
  /** Boxes that do not cross 180°. */
  readonly covered: readonly Bbox[];
  readonly layers: readonly Layer[];
  /** The answer's time, RFC 3339. */
  readonly asOf: string;
  /** RFC 3339, half-open; `undefined` for live positions. */
  readonly window: { readonly start: string; readonly end: string } | undefined;
  /** The filter's parameters; empty if everything is exported. */
  readonly filter: string;
}

export interface ExportedPositions {
  readonly kind: 'positions';
  /** `trail`: earlier positions of an exported track, of which only `TRAIL_FIELDS` are kept. */
  readonly row: 'position' | 'trail';
  readonly layer: Layer;
  /** False if there were more positions in this place and time than could be read. */
  readonly complete: boolean;
  readonly records: readonly LiveRecord[];
}

/** A place, and of the past a time, of which something is missing. */
interface ExportedGap {
  readonly kind: 'gap';
  readonly layer: Layer;
  /** May cross 180°. */
  readonly bbox: Bbox;
  readonly window: ExportHead['window'];
  /** A code of docs/api.md, Reasons. */
  readonly reason: string;
}

export type ExportItem = ExportedPositions | ExportedGap;

/** One format of an export. Its texts are written in order: the start, each item, the end. */
export interface ExportWriter {
  readonly mediaType: string;
  start(head: ExportHead): string;
  item(item: ExportItem): string;
  end(): string;
}
