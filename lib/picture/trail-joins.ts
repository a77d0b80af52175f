import { AGEING } from '#lib/model/ageing.ts';
import type { TrackKind } from '#lib/model/position.ts';

/** The largest time gaps across which two received positions of a track are joined, both inclusive. */
export interface TrailLimits {
  readonly solidMs: number;
  /** A dotted line claims no path. Larger gaps are not joined. */
  readonly dottedMs: number;
}

/**
 * Lookout's own choice. Solid: aircraft are received every few seconds (receivers' logs have steps of 5 to 10 s), drones broadcast every
 * second (ASTM F3411), and some messages are missed. Dotted: as long as a mark is drawn after its last position with the fallback time to
 * live, since a removed mark is not joined to later positions.
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
