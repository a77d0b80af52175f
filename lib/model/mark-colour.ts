import { altitudeRgb, type MapTheme, type Rgb, UNKNOWN_RGB } from './altitude-colour.ts';
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

/** The colours go from dull to conspicuous (bright on dark ground, dark on light), so their order needs no hues. */
const SPEED_STOPS: Readonly<Record<MapTheme, readonly Rgb[]>> = {
  dark: bytes([122, 98, 214], [64, 132, 208], [46, 168, 166], [112, 202, 98], [242, 226, 62]),
  light: bytes([80, 136, 36], [24, 120, 104], [30, 92, 150], [54, 52, 140], [52, 10, 80]),
};
export const AGE_STOPS = {
  dark: bytes([250, 222, 84], [226, 170, 108], [192, 128, 156], [150, 108, 190], [112, 92, 198]),
  light: bytes([70, 40, 0], [112, 70, 24], [140, 80, 70], [126, 98, 160], [112, 120, 172]),
} as const satisfies Readonly<Record<MapTheme, readonly Rgb[]>>;

const TABLE_STEPS = 256;

/** They differ in brightness or blue, for every kind of colour vision. */
const CONFIDENCE_RGB: Readonly<Record<MapTheme, Readonly<Record<ConfidenceClass, Rgb>>>> = {
  dark: {
    several: [150 / 255, 235 / 255, 165 / 255],
    single: [64 / 255, 150 / 255, 250 / 255],
    inconsistent: [236 / 255, 160 / 255, 20 / 255],
    stale: [196 / 255, 92 / 255, 200 / 255],
    neutral: UNKNOWN_RGB.dark,
  },
  light: {
    several: [10 / 255, 70 / 255, 30 / 255],
    single: [20 / 255, 90 / 255, 220 / 255],
    inconsistent: [160 / 255, 96 / 255, 0],
    stale: [140 / 255, 30 / 255, 150 / 255],
    neutral: UNKNOWN_RGB.light,
  },
};

const KIND_RGB: Readonly<Record<MapTheme, Readonly<Record<TrackKind, Rgb>>>> = {
  dark: { aircraft: [86 / 255, 180 / 255, 233 / 255], drone: [242 / 255, 200 / 255, 70 / 255] },
  light: { aircraft: [0, 110 / 255, 180 / 255], drone: [110 / 255, 0, 110 / 255] },
};

const scales = { dark: makeScales('dark'), light: makeScales('light') } as const;

function makeScales(theme: MapTheme) {
  return {
    speed: makeTable(SPEED_STOPS[theme]),
    age: makeTable(AGE_STOPS[theme]),
    confidence: CONFIDENCE_CLASSES.map((name) => CONFIDENCE_RGB[theme][name]),
  };
}

/** @param value metres, metres per second, seconds of age, or index of a confidence class; NaN for "not reported" */
export function markRgb(colouring: Colouring, kind: TrackKind, value: number, theme: MapTheme): Rgb {
  switch (colouring) {
    case 'altitude':
    case 'height':
      return altitudeRgb(kind, value, theme);
    case 'speed':
      return onTable(scales[theme].speed, value / SPEED_TOP_MPS[kind]) ?? UNKNOWN_RGB[theme];
    case 'age':
      return onTable(scales[theme].age, value / AGE_TOP_S) ?? UNKNOWN_RGB[theme];
    case 'confidence':
      return scales[theme].confidence[value] ?? UNKNOWN_RGB[theme];
    case 'kind':
      return KIND_RGB[theme][kind];
  }
}

/**
 * @param part clamped to 0…1
 * @returns `undefined` for NaN
 */
function onTable(table: readonly Rgb[], part: number): Rgb | undefined {
  return table[Math.round(Math.min(Math.max(part, 0), 1) * TABLE_STEPS)];
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
