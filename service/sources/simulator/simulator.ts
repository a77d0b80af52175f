import { bboxContains } from '#lib/geo/bbox.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { type ComputedSource, type Observation, ttlMs } from '../observation.ts';
import { earliestSightings } from './earliest-sightings.ts';
import { observe } from './observe.ts';
import { latestReceived } from './reception.ts';
import { sightedAtMs, sightingAt } from './sighting.ts';
import { flightsWithin, type Track, tracksNear } from './track.ts';
import { makeTracks, type TrafficOptions } from './traffic.ts';

/** Answers depend on the seed and the requested time alone. */
export function makeSimulator(options: TrafficOptions): ComputedSource {
  return simulate(makeTracks(options));
}

export function simulate(tracks: readonly Track[]): ComputedSource {
  const layers = {
    adsb: tracks.filter(({ layer }) => layer === 'adsb'),
    rid: tracks.filter(({ layer }) => layer === 'rid'),
  };
  return {
    live(layer, bbox, now) {
      const nowMs = epochMs(now);
      const expiredMs = nowMs - ttlMs(layer);
      const observations: Observation[] = [];
      for (const track of tracksNear(layers[layer], bbox)) {
        for (const flight of flightsWithin(track, expiredMs, nowMs + 1)) {
          const tick = latestReceived(flight, expiredMs - flight.startMs, nowMs - flight.startMs);
          if (tick === undefined) continue;
          const sighting = sightingAt(flight, tick);
          if (bboxContains(bbox, sighting.lon, sighting.lat)) observations.push(observe(sighting));
        }
      }
      return observations;
    },
    history(layer, bbox, window, maxCount) {
      const found = earliestSightings(layers[layer], bbox, window, maxCount + 1);
      return { observations: found.slice(0, maxCount).map(observe), more: found.length > maxCount };
    },
    historyTimes: (layer, bbox, window, maxCount) =>
      earliestSightings(layers[layer], bbox, window, maxCount).map((sighting) =>
        upstreamInstant(sightedAtMs(sighting)),
      ),
  };
}
