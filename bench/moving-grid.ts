import { bboxContains } from '#lib/geo/bbox.ts';
import { makePosition, type Position } from '#lib/model/position.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { NOTHING_REPORTED, type Observation, type Source } from '#service/sources/observation.ts';

/** Degrees around 0° N 15° E: fits in one box of the contract, with any margin of the map. */
const SIDE_DEG = 24;
const MIDDLE = { lon: 15, lat: 0 };
/** About 900 km/h. */
const SPEED_DEG_PER_S = 0.0022;
const SWAY_S = 600;

/** `count` aircraft in a square grid, each at a new position every second. */
export function movingGrid(count: number): Source {
  const side = Math.ceil(Math.sqrt(count));
  const observationOf = (index: number, observedAt: UpstreamInstant): Observation => {
    const seconds = epochMs(observedAt) / 1000 + index;
    const sway = Math.abs((seconds % SWAY_S) - SWAY_S / 2) * SPEED_DEG_PER_S;
    return {
      sourceId: `grid-${index}`,
      layer: 'adsb',
      observedAt,
      lon: MIDDLE.lon - SIDE_DEG / 2 + ((index % side) / side) * SIDE_DEG + sway,
      lat: MIDDLE.lat - SIDE_DEG / 2 + (Math.floor(index / side) / side) * SIDE_DEG,
      ...NOTHING_REPORTED,
      altitudeM: (index * 37) % 12_500,
      speedMps: 245,
      headingDeg: (index * 7) % 360,
      confidence: index % 3 === 0 ? 'single' : 'multi_station',
      confidenceScore: 0.9,
      receiverCount: 3,
      simulated: false,
      testBroadcast: false,
    };
  };
  return {
    live(layer, bbox, now) {
      if (layer !== 'adsb') return [];
      const observedAt = upstreamInstant(Math.floor(epochMs(now) / 1000) * 1000);
      return Array.from({ length: count }, (_, index) => observationOf(index, observedAt)).filter(({ lon, lat }) =>
        bboxContains(bbox, lon, lat),
      );
    },
    history: () => ({ observations: [], more: false }),
  };
}

/** The same grid as the page has it; each aircraft at another place and speed in every second. */
export function gridPositions(count: number, atMs: number): Position[] {
  const side = Math.ceil(Math.sqrt(count));
  const seconds = Math.floor(atMs / 1000);
  return Array.from({ length: count }, (_, index) => {
    const sway = Math.abs(((seconds + index) % SWAY_S) - SWAY_S / 2) * SPEED_DEG_PER_S;
    const values: Readonly<Record<string, number>> = {
      altitudeM: (index * 37) % 12_500,
      speedMps: 180 + ((index * 31 + seconds * 7) % 90),
      headingDeg: (index * 7) % 360,
      confidenceScore: 0.9,
      receiverCount: 3,
    };
    return makePosition(
      {
        ref: `RX-${index.toString(16).padStart(16, '0')}`,
        kind: 'aircraft',
        lon: MIDDLE.lon - SIDE_DEG / 2 + ((index % side) / side) * SIDE_DEG + sway,
        lat: MIDDLE.lat - SIDE_DEG / 2 + (Math.floor(index / side) / side) * SIDE_DEG,
        observedAt: upstreamInstant(seconds * 1000),
        staleAfter: upstreamInstant(seconds * 1000 + 60_000),
      },
      {
        measure: (name) => values[name],
        label: (name) => (name === 'confidence' ? 'multi_station' : undefined),
        flag: () => false,
      },
    );
  });
}
