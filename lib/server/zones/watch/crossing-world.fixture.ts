import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Observation } from '#lib/zones/evaluation/transition.ts';
import type { AreaEvent } from '../../live/area-reads.ts';
import { areaOf } from '../../live/snapshots.ts';

export const WORLD_START = upstreamInstant(Date.UTC(2026, 10, 27, 12));
const STEP_MS = 5000;
const TRACKS = 6;
const AREA = areaOf('rid', { west: 8, south: 47, east: 9, north: 48 });

export function timeOf(step: number): UpstreamInstant {
  return addMs(WORLD_START, step * STEP_MS);
}

/** Each track has its own period. */
function positionsAt(step: number): readonly Position[] {
  return Array.from({ length: TRACKS }, (_, index) => {
    const turns = (step * STEP_MS) / (110_000 + 23_000 * index) + index / TRACKS;
    return {
      ...plainPosition,
      kind: 'drone',
      ref: `RX-D-000000000000000${index}`,
      observedAt: timeOf(step),
      lon: 8.5 + 0.06 * Math.cos(2 * Math.PI * turns),
      lat: 47.4,
    };
  });
}

export function readAt(step: number): Extract<AreaEvent, { kind: 'read' }> {
  const positions = new Map(positionsAt(step).map((position) => [position.ref, position]));
  return { kind: 'read', area: AREA, positions, readAt: timeOf(step), isComplete: true };
}

export function pastBetween(start: UpstreamInstant, end: UpstreamInstant): readonly Observation[] {
  const found: Observation[] = [];
  for (let step = Math.max(0, Math.ceil(msBetween(WORLD_START, start) / STEP_MS)); timeOf(step) < end; step++)
    for (const position of positionsAt(step)) found.push({ layer: 'rid', position });
  return found;
}
