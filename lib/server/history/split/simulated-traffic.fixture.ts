import type { Bbox } from '#lib/geo/bbox.ts';
import { makeDice } from '#lib/random/dice.fixture.ts';
import { addMs, epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { PastPart } from '../parts/history-part.ts';
import type { ModelRecord } from './model-source.fixture.ts';

export interface SteadyTraffic {
  readonly tracks: number;
  readonly everyMs: number;
  /** Otherwise each track has its own phase. */
  readonly atWholeSeconds: boolean;
  /** Stay in the central hundredth of the box. */
  readonly inMiddle: number;
  readonly seed: number;
}

export function steadyTraffic({ bbox, window }: PastPart, traffic: SteadyTraffic): readonly ModelRecord[] {
  const { tracks, everyMs, atWholeSeconds, inMiddle, seed } = traffic;
  const dice = makeDice(seed);
  return Array.from({ length: tracks }, () => {
    const area = dice.chance(inMiddle) ? middleOf(bbox) : bbox;
    const from = pointIn(area, dice.between);
    const to = pointIn(area, dice.between);
    const phaseMs = dice.integer(0, everyMs - 1);
    const first = epochMs(window.start) + (atWholeSeconds ? Math.floor(phaseMs / 1000) * 1000 : phaseMs);
    const track = dice.integer(0x1000_0000, 0x7fff_ffff).toString(16);
    return Array.from({ length: Math.ceil((epochMs(window.end) - first) / everyMs) }, (_, index): ModelRecord => {
      const observedAt = upstreamInstant(first + index * everyMs);
      const part = msBetween(window.start, observedAt) / msBetween(window.start, window.end);
      return {
        observedAt,
        lon: from.lon + (to.lon - from.lon) * part,
        lat: from.lat + (to.lat - from.lat) * part,
        track,
      };
    });
  }).flat();
}

export interface Burst {
  readonly bbox: Bbox;
  readonly start: UpstreamInstant;
  readonly spanMs: number;
  readonly records: number;
  readonly seed: number;
}

/** A span of 0 is a single instant. */
export function burst({ bbox, start, spanMs, records, seed }: Burst): readonly ModelRecord[] {
  const dice = makeDice(seed);
  return Array.from({ length: records }, (_, index): ModelRecord => {
    const observedAt = addMs(start, dice.integer(0, Math.max(0, spanMs - 1)));
    return { observedAt, ...pointIn(bbox, dice.between), track: `${seed}-${index}` };
  });
}

/** Each has half to one and a half times `records`. */
export function bursts(
  { bbox, window }: PastPart,
  { count, records, spanMs, seed }: { readonly count: number } & Pick<Burst, 'records' | 'spanMs' | 'seed'>,
): readonly ModelRecord[] {
  const dice = makeDice(seed);
  return Array.from({ length: count }, (_, index) => {
    const start = upstreamInstant(dice.integer(epochMs(window.start), epochMs(window.end) - spanMs));
    const size = dice.integer(Math.ceil(records / 2), Math.floor(records * 1.5));
    return burst({ bbox, start, spanMs, records: size, seed: seed * 1000 + index });
  }).flat();
}

function pointIn({ west, south, east, north }: Bbox, between: (low: number, high: number) => number) {
  return { lon: between(west, east), lat: between(south, north) };
}

function middleOf({ west, south, east, north }: Bbox): Bbox {
  const [lon, lat] = [(west + east) / 2, (south + north) / 2];
  const [halfWidth, halfHeight] = [(east - west) / 20, (north - south) / 20];
  return { west: lon - halfWidth, south: lat - halfHeight, east: lon + halfWidth, north: lat + halfHeight };
}
