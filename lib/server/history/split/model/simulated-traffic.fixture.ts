import type { Bbox } from '#lib/geo/bbox.ts';
import { instantFromMs } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { makeDice } from '#service/sources/simulator/seeded-random.ts';
import type { ModelRecord } from './model-source.fixture.ts';

export interface TrafficOptions {
  readonly bbox: Bbox;
  readonly window: Window;
  readonly tracks: number;
  readonly everyMs: number;
  /** True: all observed at whole seconds; false: each track at its own phase. */
  readonly wholeSeconds: boolean;
  /** The part of the tracks that keep to the middle hundredth of the box. */
  readonly inMiddle?: number;
  readonly seed: number;
}

/** Tracks that are there all the time, each moving along a line of its own and observed at a steady rate. */
export function steadyTraffic({ bbox, window, tracks, everyMs, wholeSeconds, inMiddle = 0, seed }: TrafficOptions): ModelRecord[] {
  const dice = makeDice(seed);
  const records: ModelRecord[] = [];
  for (let index = 0; index < tracks; index += 1) {
    const area = dice.chance(inMiddle) ? middle(bbox) : bbox;
    const [fromLon, toLon] = [dice.between(area.west, area.east), dice.between(area.west, area.east)];
    const [fromLat, toLat] = [dice.between(area.south, area.north), dice.between(area.south, area.north)];
    const phase = dice.integer(0, everyMs - 1);
    const first = window.start + (wholeSeconds ? Math.floor(phase / 1000) * 1000 : phase);
    for (let at = first; at < window.end; at += everyMs) {
      const part = (at - window.start) / (window.end - window.start);
      records.push({ observedAt: instantFromMs(at), lon: fromLon + (toLon - fromLon) * part, lat: fromLat + (toLat - fromLat) * part, track: `S${dice.integer(0, 0xffff)}-${index}` });
    }
  }
  return records;
}

/** Bursts of records within some seconds at random instants. */
export function bursts(bbox: Bbox, window: Window, { count, records, spanMs, seed }: { count: number; records: number; spanMs: number; seed: number }): ModelRecord[] {
  const dice = makeDice(seed);
  return Array.from({ length: count }, () => dice.between(window.start, window.end - spanMs)).flatMap((start, burst) =>
    Array.from({ length: dice.integer(records / 2, records * 1.5) }, (_, index) => ({
      observedAt: instantFromMs(Math.floor(start + dice.between(0, spanMs))),
      lon: dice.between(bbox.west, bbox.east),
      lat: dice.between(bbox.south, bbox.north),
      track: `B${burst}-${index}`,
    })),
  );
}

function middle({ west, south, east, north }: Bbox): Bbox {
  const [lon, lat] = [(west + east) / 2, (south + north) / 2];
  const [width, height] = [(east - west) / 20, (north - south) / 20];
  return { west: lon - width, south: lat - height, east: lon + width, north: lat + height };
}
