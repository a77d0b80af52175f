import { altitudeRgb, type Rgb, UNKNOWN_RGB } from './altitude-colour.ts';
import { CONFIDENCE_CLASSES, type ConfidenceClass } from './confidence.ts';
import type { TrackKind } from './position.ts';

/** `altitude` is a drone's height above ground, since the reference of its altitude is not stated. */
export const COLOURINGS = ['altitude', 'height', 'speed', 'age', 'confidence', 'kind'] as const;
export type Colouring = (typeof COLOURINGS)[number];

/** On the scale of aircraft, all drones would have one colour. */
export const SPEED_TOP_MPS: Readonly<Record<TrackKind, number>> = { aircraft: 300, drone: 30 };
export const AGE_TOP_S = 60;

const bytes = (...stops: readonly (readonly [number, number, number])[]): readonly Rgb[] =>
  stops.map(([red, green, blue]) => [red / 255, green / 255, blue / 255]);

/** The colours go from dark to bright, so their order needs no hues. */
const speedStops = bytes([122, 98, 214], [64, 132, 208], [46, 168, 166], [112, 202, 98], [242, 226, 62]);
export const AGE_STOPS = bytes([250, 222, 84], [226, 170, 108], [192, 128, 156], [150, 108, 190], [112, 92, 198]);

const TABLE_STEPS = 256;
const speedTable = makeTable(speedStops);
const ageTable = makeTable(AGE_STOPS);

/** They differ in brightness or blue, for every kind of colour vision. */
const confidenceRgb: Readonly<Record<ConfidenceClass, Rgb>> = {
  several: [150 / 255, 235 / 255, 165 / 255],
  single: [64 / 255, 150 / 255, 250 / 255],
  inconsistent: [236 / 255, 160 / 255, 20 / 255],
  stale: [196 / 255, 92 / 255, 200 / 255],
  neutral: UNKNOWN_RGB,
};
const confidenceTable = CONFIDENCE_CLASSES.map((name) => confidenceRgb[name]);

const kindRgb: Readonly<Record<TrackKind, Rgb>> = {
  aircraft: [86 / 255, 180 / 255, 233 / 255],
  drone: [242 / 255, 200 / 255, 70 / 255],
};

/** @param value metres, metres per second, seconds of age, or index of a confidence class; NaN for "not reported" */
export function markRgb(colouring: Colouring, kind: TrackKind, value: number): Rgb {
  switch (colouring) {
    case 'altitude':
    case 'height':
      return altitudeRgb(kind, value);
    case 'speed':
      return onTable(speedTable, value / SPEED_TOP_MPS[kind]);
    case 'age':
      return onTable(ageTable, value / AGE_TOP_S);
    case 'confidence':
      return confidenceTable[value] ?? UNKNOWN_RGB;
    case 'kind':
      return kindRgb[kind];
  }
}

/** @param part clamped to 0…1 */
function onTable(table: readonly Rgb[], part: number): Rgb {
  return table[Math.round(Math.min(Math.max(part, 0), 1) * TABLE_STEPS)] ?? UNKNOWN_RGB;
}

function makeTable(stops: readonly Rgb[]): readonly Rgb[] {
  return Array.from({ length: TABLE_STEPS + 1 }, (_, step) => {
    const at = (step / TABLE_STEPS) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    const mixed = (channel: 0 | 1 | 2) => {
      const [from, to] = [stops[low]?.[channel] ?? 0, stops[low + 1]?.[channel] ?? 0];
      return from + (to - from) * (at - low);
    };
    return [mixed(0), mixed(1), mixed(2)];
  });
}
