import { bboxContains } from '#lib/geo/bbox.ts';
import { windowContains } from '#lib/time/window.ts';
import { lifetimeMs, NOTHING_REPORTED, type Observation, type Source } from '../sources/observation.ts';

/** A source of exactly these observations: the plainest reading of what a source promises. */
export function listedSource(observations: readonly Observation[]): Source {
  const sorted = observations.toSorted((a, b) => a.observedAt - b.observedAt);
  return {
    live(layer, bbox, now) {
      const latest = new Map<string, Observation>();
      for (const observation of sorted) {
        if (observation.layer === layer && observation.observedAt <= now) latest.set(observation.sourceId, observation);
      }
      return [...latest.values()].filter(
        ({ observedAt, lon, lat }) => now < observedAt + lifetimeMs(layer) && bboxContains(bbox, lon, lat),
      );
    },
    history(layer, bbox, window, atMost) {
      const found = sorted.filter(
        (observation) =>
          observation.layer === layer &&
          windowContains(window, observation.observedAt) &&
          bboxContains(bbox, observation.lon, observation.lat),
      );
      return { observations: found.slice(0, atMost), more: found.length > atMost };
    },
  };
}

/** An observation near 8.5° E, 47.4° N in which much is reported; `change` says what the test is about. */
export function observation(change: Partial<Observation> & Pick<Observation, 'observedAt'>): Observation {
  return {
    sourceId: 'a1b2c3',
    layer: 'adsb',
    ...NOTHING_REPORTED,
    lon: 8.5,
    lat: 47.4,
    altitudeM: 1200.5,
    heightAglM: 700,
    speedMps: 80.25,
    headingDeg: 271.5,
    confidence: 'multi_station',
    confidenceScore: 0.75,
    receiverCount: 3,
    simulated: false,
    testBroadcast: false,
    emergencyState: 'none',
    ...change,
  };
}
