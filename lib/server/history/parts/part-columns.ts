import 'server-only';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import type { PartColumns } from '#lib/server/database/tables/history-tables.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import type { Part } from './history-part.ts';

/** The contract writes boxes with seven decimals. */
const UNITS_PER_DEG = 1e7;

export interface LayerPart extends Part {
  readonly layer: Layer;
}

export function partColumns(layer: Layer, { bbox, window }: Part): PartColumns {
  return { layer, ...boxColumns(bbox), start_ms: epochMs(window.start), end_ms: epochMs(window.end) };
}

export function boxColumns({ west, south, east, north }: Part['bbox']) {
  return { west: units(west), south: units(south), east: units(east), north: units(north) };
}

/** `undefined` where the layer is unknown. */
export function partOfColumns(row: PartColumns): LayerPart | undefined {
  const { west, south, east, north, start_ms, end_ms } = row;
  const layer = LAYERS.find((each) => each === row.layer);
  if (!layer) return undefined;
  const bbox = {
    west: west / UNITS_PER_DEG,
    south: south / UNITS_PER_DEG,
    east: east / UNITS_PER_DEG,
    north: north / UNITS_PER_DEG,
  };
  return { layer, bbox, window: { start: upstreamInstant(start_ms), end: upstreamInstant(end_ms) } };
}

function units(deg: number): number {
  // Adding 0 turns -0 into 0.
  return Math.round(deg * UNITS_PER_DEG) + 0;
}
