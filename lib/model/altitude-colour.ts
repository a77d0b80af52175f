import type { TrackKind } from './position.ts';

/** sRGB, each 0 to 1. */
export type Rgb = readonly [number, number, number];

/** The ground below the marks: scales are dark on a light map, and bright on a dark one. */
export type MapTheme = 'dark' | 'light';

const METRES_PER_FOOT = 0.3048;

/** tar1090's scale, which operators know. */
const aircraftStops: readonly (readonly [feet: number, hueDeg: number])[] = [
  [0, 20],
  [4000, 43],
  [9000, 85],
  [11_000, 140],
  [40_000, 300],
  [51_000, 360],
];

/**
 * Aircraft have the drones' hue too. `aircraftMaxLuminance` separates the scales for every kind of colour vision: on
 * dark ground drones are brighter than all aircraft, on light ground darker.
 */
const SCALES = {
  dark: { droneHueDeg: 80, droneLightness: { ground: 0.84, top: 0.46 }, aircraftMaxLuminance: 0.4 },
  light: { droneHueDeg: 300, droneLightness: { ground: 0.06, top: 0.28 }, aircraftMaxLuminance: 0.2 },
} as const satisfies Readonly<Record<MapTheme, object>>;

/** The colour of "not reported". */
export const UNKNOWN_RGB: Readonly<Record<MapTheme, Rgb>> = { dark: [0.58, 0.62, 0.67], light: [0.38, 0.43, 0.48] };

/** Steps are invisible, and the table stays in cache. */
const TABLE_STEPS = 256;
const AIRCRAFT_TOP_M = 51_000 * METRES_PER_FOOT;
const DRONE_TOP_M = 150;

const tables = { dark: makeTables('dark'), light: makeTables('light') } as const;

function makeTables(theme: MapTheme): Readonly<Record<TrackKind, readonly Rgb[]>> {
  const { droneHueDeg, droneLightness, aircraftMaxLuminance } = SCALES[theme];
  const { ground, top } = droneLightness;
  return {
    aircraft: makeTable((part) => {
      const hueDeg = hueAt(aircraftStops, (part * AIRCRAFT_TOP_M) / METRES_PER_FOOT);
      return dimmedTo(aircraftMaxLuminance, hslToRgb(hueDeg, 0.88, 0.6));
    }),
    drone: makeTable((part) => hslToRgb(droneHueDeg, 1, ground + (top - ground) * part)),
  };
}

/** NaN means "not reported". Other heights are clamped to the scale. */
export function altitudeRgb(kind: TrackKind, metres: number, theme: MapTheme): Rgb {
  if (Number.isNaN(metres)) return UNKNOWN_RGB[theme];
  const topM = kind === 'aircraft' ? AIRCRAFT_TOP_M : DRONE_TOP_M;
  const step = Math.round((Math.min(Math.max(metres, 0), topM) / topM) * TABLE_STEPS);
  return tables[theme][kind][step] ?? UNKNOWN_RGB[theme];
}

function makeTable(colourAt: (part: number) => Rgb): readonly Rgb[] {
  return Array.from({ length: TABLE_STEPS + 1 }, (_, step) => colourAt(step / TABLE_STEPS));
}

function dimmedTo(maxLuminance: number, rgb: Rgb): Rgb {
  const part = Math.min(1, maxLuminance / luminance(rgb));
  const dimmed = (channel: number) => encoded(linear(channel) * part);
  return [dimmed(rgb[0]), dimmed(rgb[1]), dimmed(rgb[2])];
}

function hueAt(stops: readonly (readonly [number, number])[], value: number): number {
  let [lowValue, lowHue] = stops[0] as readonly [number, number];
  for (const [highValue, highHue] of stops) {
    if (value <= highValue) {
      const part = highValue === lowValue ? 0 : Math.max(0, value - lowValue) / (highValue - lowValue);
      return lowHue + (highHue - lowHue) * part;
    }
    lowValue = highValue;
    lowHue = highHue;
  }
  return lowHue;
}

/** CSS Color 4, section 7.1. Saturation and lightness 0 to 1. */
function hslToRgb(hueDeg: number, saturation: number, lightness: number): Rgb {
  const channel = (offset: number) => {
    const k = (offset + hueDeg / 30) % 12;
    const chroma = saturation * Math.min(lightness, 1 - lightness);
    return lightness - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return [channel(0), channel(8), channel(4)];
}

/** Light of a channel of sRGB, both 0 to 1 (IEC 61966-2-1). */
export function linear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

export function encoded(light: number): number {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
}

/** Relative luminance, 0 to 1 (WCAG 2.2). */
export function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

export function cssColour([red, green, blue]: Rgb): string {
  const byte = (part: number) => Math.round(part * 255);
  return `rgb(${byte(red)} ${byte(green)} ${byte(blue)})`;
}
