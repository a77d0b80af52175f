import { AGEING } from '#lib/model/ageing.ts';
import type { TrackKind } from '#lib/model/position.ts';

/** The longest gaps between two positions that a line joins, inclusive. */
export interface TrailLimits {
  readonly solidMs: number;
  /** A dotted line claims no path. */
  readonly dottedMs: number;
}

/**
 * Lookout's own choice. Solid: aircraft come every 5 to 10 s in receivers' logs, drones every second (ASTM F3411),
 * some are missed. Dotted: as long as the mark stays.
 */
export const TRAIL_LIMITS: Readonly<Record<TrackKind, TrailLimits>> = {
  aircraft: { solidMs: 30_000, dottedMs: drawnMs('aircraft') },
  drone: { solidMs: 10_000, dottedMs: drawnMs('drone') },
};

export function trailJoin(kind: TrackKind, gapMs: number): 'solid' | 'dotted' | 'none' {
  const { solidMs, dottedMs } = TRAIL_LIMITS[kind];
  return gapMs <= solidMs ? 'solid' : gapMs <= dottedMs ? 'dotted' : 'none';
}

function drawnMs(kind: TrackKind): number {
  return AGEING[kind].fallbackTtlMs + AGEING[kind].expiredMs;
}
