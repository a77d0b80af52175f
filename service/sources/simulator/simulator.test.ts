import { describe, expect, it } from 'vitest';
import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { bearingDeg, distanceM } from '#lib/geo/great-circle.ts';
import { addMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { cpuMs } from '#testing/cpu-ms.ts';
import { type Observation, ttlMs } from '../observation.ts';
import { makeSimulator } from './simulator.ts';

const WORLD: Bbox = { west: -180, south: -90, east: 180, north: 90 };
const ALPS: Bbox = { west: 5.5, south: 45.5, east: 11, north: 48.5 };
const START = upstreamInstant(Date.UTC(2026, 10, 20, 23, 59, 30));
const simulator = makeSimulator({ seed: 1, aircraft: 400, drones: 60 });

/** The instants are at no fixed minute of the hour. */
const dayOf: readonly UpstreamInstant[] = Array.from({ length: 31 }, (_, index) => addMs(START, index * 47 * 60_000));
const liveOfDay = new Map(LAYERS.map((layer) => [layer, dayOf.map((now) => simulator.live(layer, WORLD, now))]));

function countsIn(layer: Layer, box: Bbox): number[] {
  return liveOfDay.get(layer)!.map((all) => all.filter(({ lon, lat }) => bboxContains(box, lon, lat)).length);
}

describe('the default fleet, at any time of a day', () => {
  it('is almost completely live', () => {
    for (const count of countsIn('adsb', WORLD)) expect(Math.abs(count - 400)).toBeLessThan(50);
    for (const count of countsIn('rid', WORLD)) expect(Math.abs(count - 60)).toBeLessThan(15);
  });

  it('shows at least 25 aircraft and 8 drones around Switzerland', () => {
    expect(Math.min(...countsIn('adsb', ALPS))).toBeGreaterThanOrEqual(25);
    expect(Math.min(...countsIn('rid', ALPS))).toBeGreaterThanOrEqual(8);
  });

  it('has traffic close to 180° on both sides, of both layers', () => {
    for (const layer of LAYERS) {
      expect(Math.min(...countsIn(layer, { ...WORLD, west: 175 }))).toBeGreaterThan(0);
      expect(Math.min(...countsIn(layer, { ...WORLD, east: -175 }))).toBeGreaterThan(0);
    }
  });

  it('has aircraft north of 75°N', () => {
    expect(Math.min(...countsIn('adsb', { ...WORLD, south: 75 }))).toBeGreaterThan(0);
  });
});

describe('a small fleet', () => {
  it('has traffic in the Alps from the first tracks on', () => {
    const small = makeSimulator({ seed: 1, aircraft: 20, drones: 5 });
    for (const now of dayOf) {
      expect(small.live('adsb', ALPS, now).length).toBeGreaterThan(0);
      expect(small.live('rid', ALPS, now).length + small.live('rid', ALPS, addMs(now, 120_000)).length).toBeGreaterThan(
        0,
      );
    }
  });
});

describe('what is reported', () => {
  const all = LAYERS.flatMap((layer) => liveOfDay.get(layer)!.flat());
  const share = (layer: Layer, has: (observation: Observation) => boolean) => {
    const ofLayer = all.filter((observation) => observation.layer === layer);
    return ofLayer.filter(has).length / ofLayer.length;
  };

  it('is always marked simulated', () => {
    expect(all.every(({ simulated }) => simulated)).toBe(true);
  });

  it('has every confidence label of the contract, an unknown label, and null, with matching receiver counts', () => {
    const labels = new Set(all.map(({ confidence }) => confidence));
    expect(labels).toEqual(new Set(['single', 'multi_station', 'stale', 'inconsistent', 'space_based', null]));
    const wrong = all.filter(
      ({ confidence, confidenceScore, receiverCount }) =>
        (confidenceScore !== null && !(confidenceScore > 0 && confidenceScore <= 1)) ||
        (confidence === 'single' && receiverCount !== 1) ||
        (confidence === 'multi_station' && (receiverCount ?? 0) < 2) ||
        (confidence === null && (confidenceScore !== null || receiverCount !== null)),
    );
    expect(wrong).toEqual([]);
  });

  it('sometimes lacks each field that may be null, and mostly does not', () => {
    for (const layer of LAYERS) {
      for (const field of [
        'altitudeM',
        'speedMps',
        'headingDeg',
        'confidence',
        'confidenceScore',
        'emergencyState',
      ] as const) {
        expect(share(layer, (observation) => observation[field] === null)).toBeGreaterThan(0.005);
        expect(share(layer, (observation) => observation[field] === null)).toBeLessThan(0.3);
      }
    }
    expect(share('adsb', ({ heightAglM }) => heightAglM !== null)).toBeGreaterThan(0.01);
    expect(share('adsb', ({ heightAglM }) => heightAglM !== null)).toBeLessThan(0.3);
    expect(share('rid', ({ heightAglM }) => heightAglM !== null)).toBeGreaterThan(0.7);
  });

  it('has a real 0 speed for what stands or hovers', () => {
    expect(share('adsb', ({ speedMps }) => speedMps === 0)).toBeGreaterThan(0.02);
    expect(share('rid', ({ speedMps, heightAglM }) => speedMps === 0 && (heightAglM ?? 0) > 10)).toBeGreaterThan(0.02);
  });

  it('keeps drones between the ground and 120 m above it', () => {
    expect(share('rid', ({ heightAglM }) => heightAglM !== null && (heightAglM < 0 || heightAglM > 120))).toBe(0);
  });

  it('mostly reports an unknown emergency state, and a few emergencies in both layers', () => {
    for (const layer of LAYERS) {
      expect(share(layer, ({ emergencyState }) => emergencyState === 'unknown')).toBeGreaterThan(0.7);
    }
    const real = (layer: Layer) =>
      share(layer, ({ emergencyState }) => emergencyState !== 'unknown' && emergencyState !== null);
    expect(real('adsb')).toBeGreaterThan(0.001);
    expect(real('adsb')).toBeLessThan(0.03);
    expect(real('rid')).toBeGreaterThan(0.001);
    expect(real('rid')).toBeLessThan(0.06);
  });

  it('has test broadcasts in both layers at any time', () => {
    for (const layer of LAYERS) {
      for (const live of liveOfDay.get(layer)!) expect(live.some(({ testBroadcast }) => testBroadcast)).toBe(true);
    }
  });
});

describe('the tracks of an hour', () => {
  const window = { start: START, end: addMs(START, 3_600_000) };
  const tracks = new Map<string, Observation[]>();
  for (const layer of LAYERS) {
    for (const observation of simulator.history(layer, WORLD, window, Number.POSITIVE_INFINITY).observations) {
      const track = tracks.get(observation.sourceId) ?? [];
      tracks.set(observation.sourceId, track);
      track.push(observation);
    }
  }

  function forEachStep(visit: (before: Observation, after: Observation, seconds: number) => void): void {
    for (const track of tracks.values()) {
      for (let index = 1; index < track.length; index++) {
        const [before, after] = [track[index - 1]!, track[index]!];
        visit(before, after, msBetween(before.observedAt, after.observedAt) / 1000);
      }
    }
  }

  it('move no further than their top speed allows, with a few metres of noise', () => {
    let worstM = 0;
    forEachStep((before, after, seconds) => {
      const [fastestMps, noiseM] = before.layer === 'adsb' ? [252, 50] : [12, 6];
      worstM = Math.max(worstM, distanceM(before, after) - fastestMps * seconds - noiseM);
    });
    expect(worstM).toBeLessThanOrEqual(0);
  });

  it('change altitude no faster than aircraft can', () => {
    let worstM = 0;
    forEachStep((before, after, seconds) => {
      if (before.altitudeM === null || after.altitudeM === null) return;
      worstM = Math.max(worstM, Math.abs(after.altitudeM - before.altitudeM) - 20 * seconds - 8);
    });
    expect(worstM).toBeLessThanOrEqual(0);
  });

  it('move at the speed and course that they report', () => {
    let steps = 0;
    let astray = 0;
    let worstM = 0;
    forEachStep((before, after, seconds) => {
      if (before.layer !== 'adsb' || seconds > 8 || before.speedMps === null || after.speedMps === null) return;
      if (before.headingDeg === null || after.headingDeg === null || Math.min(before.speedMps, after.speedMps) < 40)
        return;
      steps++;
      const meanMps = (before.speedMps + after.speedMps) / 2;
      worstM = Math.max(worstM, Math.abs(distanceM(before, after) - meanMps * seconds));
      if (
        turnDeg(before.headingDeg, after.headingDeg) < 5 &&
        turnDeg(bearingDeg(before, after), before.headingDeg) > 25
      ) {
        astray++;
      }
    });
    expect(steps).toBeGreaterThan(10_000);
    expect(worstM).toBeLessThan(60);
    expect(astray / steps).toBeLessThan(0.02);
  });

  it('have gaps long enough to expire, and come back after them', () => {
    const gaps = { adsb: 0, rid: 0 };
    forEachStep((before, _after, seconds) => {
      if (seconds * 1000 > ttlMs(before.layer)) gaps[before.layer]++;
    });
    expect(gaps.adsb).toBeGreaterThan(20);
    expect(gaps.rid).toBeGreaterThan(5);
  });
});

describe('twenty thousand aircraft', () => {
  const many = makeSimulator({ seed: 1, aircraft: 20_000, drones: 0 });
  const europe: Bbox = { west: -10, south: 35, east: 20, north: 60 };
  const minCpuMs = (run: (attempt: number) => void) =>
    Math.min(...Array.from({ length: 5 }, (_, attempt) => cpuMs(() => run(attempt))));

  it('are almost all live', () => {
    expect(many.live('adsb', WORLD, START).length).toBeGreaterThan(18_000);
  });

  // The bound is so wide that only a wrong order of growth fails.
  it('are looked up in a box of 30° in well under a tick', () => {
    expect(minCpuMs((attempt) => many.live('adsb', europe, addMs(START, 1000 * attempt)))).toBeLessThan(100);
  });

  it('answer an overfull history without reading all of it', () => {
    const box: Bbox = { west: 6, south: 45, east: 11, north: 50 };
    const window = { start: START, end: addMs(START, 300_000) };
    expect(many.history('adsb', box, window, 1000)).toMatchObject({ more: true });
    expect(minCpuMs(() => many.history('adsb', box, window, 1000))).toBeLessThan(300);
  });
});

function turnDeg(a: number, b: number): number {
  const turn = Math.abs(a - b) % 360;
  return Math.min(turn, 360 - turn);
}
