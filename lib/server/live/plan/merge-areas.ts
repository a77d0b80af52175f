import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { AreaMerger } from './area-merger.ts';
import type { Expected } from './request-cost.ts';

/** Every pair is compared. */
const TOGETHER_MAX = 128;

/** Greedy: merges the pair whose hull saves most requests, of equal savings the one that adds least area. */
export function mergeAreas(areas: readonly Bbox[], expected: Expected): readonly Bbox[] {
  if (areas.length <= TOGETHER_MAX) return new AreaMerger(areas, expected).merged();
  const halves = halvesOfTheMap(areas).map((half) => mergeAreas(half, expected));
  const together = halves.flat();
  // Hardly any pair of so many saves a request.
  return together.length <= TOGETHER_MAX ? new AreaMerger(together, expected).merged() : together;
}

/** Cut across the longer extent. */
function halvesOfTheMap(areas: readonly Bbox[]): readonly (readonly Bbox[])[] {
  const lons = areas.map(({ west, east }) => west + east);
  const lats = areas.map(({ south, north }) => south + north);
  const wide = extent(lons) > extent(lats);
  const sorted = areas.toSorted((a, b) =>
    wide ? a.west + a.east - b.west - b.east : a.south + a.north - b.south - b.north,
  );
  const middle = sorted.length >> 1;
  return [sorted.slice(0, middle), sorted.slice(middle)];
}

function extent(values: readonly number[]): number {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return max - min;
}
