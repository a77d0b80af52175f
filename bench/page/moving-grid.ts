import { bboxContains } from '#lib/geo/bbox.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { observation } from '#service/conformance/listed-source.ts';
import type { Observation, Source } from '#service/sources/observation.ts';

/** Fits into one box of the contract. */
const SIDE_DEG = 24;
const [WEST, SOUTH] = [3, -12];
export const AMPLE = { perMinute: 100_000, perDay: 10_000_000 };
export const GRID_VIEW = '0,15,4.2';
const SPEED_DEG_PER_S = 0.0022;
/** Each aircraft turns back at its ends. */
const WAY_S = 600;

export function gridAt(count: number, now: UpstreamInstant): Observation[] {
  const side = Math.ceil(Math.sqrt(count));
  const second = Math.floor(epochMs(now) / SECOND_MS);
  return Array.from({ length: count }, (_, index) =>
    observation({
      sourceId: `grid-${index}`,
      observedAt: upstreamInstant(second * SECOND_MS),
      lon:
        WEST + ((index % side) / side) * SIDE_DEG + Math.abs(((second + index) % WAY_S) - WAY_S / 2) * SPEED_DEG_PER_S,
      lat: SOUTH + (Math.floor(index / side) / side) * SIDE_DEG,
      altitudeM: (index * 37) % 12_500,
      speedMps: 180 + ((index * 31 + second * 7) % 90),
      headingDeg: (index * 7) % 360,
    }),
  );
}

export function gridSource(count: number): Source {
  return {
    live: (layer, bbox, now) =>
      layer === 'adsb' ? gridAt(count, now).filter(({ lon, lat }) => bboxContains(bbox, lon, lat)) : [],
    history: () => ({ observations: [], more: false }),
  };
}
