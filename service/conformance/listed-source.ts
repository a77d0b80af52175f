import { bboxContains } from '#lib/geo/bbox.ts';
import { addMs, compareInstants, type UpstreamInstant } from '#lib/time/instant.ts';
import { type ComputedSource, NOTHING_REPORTED, type Observation, ttlMs } from '../sources/observation.ts';

export function listedSource(observations: readonly Observation[]): ComputedSource {
  const sorted = observations.toSorted((a, b) => compareInstants(a.observedAt, b.observedAt));
  return {
    live(layer, bbox, now) {
      const latest = new Map<string, Observation>();
      for (const observation of sorted) {
        if (observation.layer === layer && observation.observedAt <= now) latest.set(observation.sourceId, observation);
      }
      return [...latest.values()].filter(
        ({ observedAt, lon, lat }) => now < addMs(observedAt, ttlMs(layer)) && bboxContains(bbox, lon, lat),
      );
    },
    history(layer, bbox, window, maxCount) {
      const found = sorted
        .slice(firstAtOrAfter(sorted, window.start), firstAtOrAfter(sorted, window.end))
        .filter((observation) => observation.layer === layer && bboxContains(bbox, observation.lon, observation.lat));
      return { observations: found.slice(0, maxCount), more: found.length > maxCount };
    },
  };
}

function firstAtOrAfter(sorted: readonly Observation[], at: UpstreamInstant): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] as Observation).observedAt < at) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** An observation near 8.5° E, 47.4° N, with most fields. */
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
