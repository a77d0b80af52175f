import { ValueStore } from '#lib/client/value-store.ts';
import type { WatchedRow } from '#lib/client/zones/zone-desk.ts';

/** A name of the map that wins over the labels of tracks: of a zone, or of the desk's own airport. */
export interface MapName {
  readonly mercatorX: number;
  readonly mercatorY: number;
  readonly lines: readonly string[];
  /** The side of its place where it is first tried. */
  readonly side: 'above' | 'below';
  /** `lit`: a red plate. `noted`: red text. */
  readonly look: 'plain' | 'noted' | 'lit';
  readonly tone?: number;
  /** Width of what is named, in Mercator. A plain name of a thing too small on the screen is left out. */
  readonly span?: number;
  /** The row that a press on it opens. */
  readonly opens?: WatchedRow;
}

/** The names on the map, by what sets them. */
export interface MapNames {
  readonly airport: ValueStore<readonly MapName[]>;
  readonly zones: ValueStore<readonly MapName[]>;
  /** Finds the name at a place of the map's canvas, in CSS pixels. The labels set it. */
  readonly find: ValueStore<(xPx: number, yPx: number) => MapName | undefined>;
}

export function makeMapNames(): MapNames {
  return {
    airport: new ValueStore<readonly MapName[]>([]),
    zones: new ValueStore<readonly MapName[]>([]),
    find: new ValueStore<(xPx: number, yPx: number) => MapName | undefined>(() => undefined),
  };
}
