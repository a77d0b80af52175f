import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { altitudeRgb, type Rgb, UNKNOWN_RGB } from './altitude-colour.ts';
import { COLOUR_BLIND, colourDifference, seenBy } from './colour-vision.fixture.ts';
import type { TrackKind } from './position.ts';

const kind = fc.constantFrom<TrackKind>('aircraft', 'drone');
const metres = fc.integer({ min: -10_000, max: 1_000_000 }).map((tenths) => tenths / 10);
const topM: Readonly<Record<TrackKind, number>> = { aircraft: 15_545, drone: 150 };
const apart = (one: Rgb, other: Rgb) => Math.max(...one.map((value, index) => Math.abs(value - (other[index] ?? 0))));

function hueOf([red, green, blue]: Rgb): number {
  const max = Math.max(red, green, blue);
  const chroma = max - Math.min(red, green, blue);
  if (max === red) return (60 * ((green - blue) / chroma) + 360) % 360;
  return max === green ? 120 + (60 * (blue - red)) / chroma : 240 + (60 * (red - green)) / chroma;
}

describe.each(['dark', 'light'] as const)('altitudeRgb on %s ground', (theme) => {
  test('"not reported" has a colour of its own', () => {
    fc.assert(
      fc.property(kind, metres, (kind, height) => {
        expect(apart(altitudeRgb(kind, height, theme), UNKNOWN_RGB[theme])).toBeGreaterThan(0.1);
      }),
    );
    expect(altitudeRgb('aircraft', Number.NaN, theme)).toEqual(UNKNOWN_RGB[theme]);
    expect(altitudeRgb('drone', Number.NaN, theme)).toEqual(UNKNOWN_RGB[theme]);
  });

  test('heights beyond the scale have the colour of its end', () => {
    for (const kind of ['aircraft', 'drone'] as const) {
      for (const low of [-1, -500, Number.NEGATIVE_INFINITY])
        expect(altitudeRgb(kind, low, theme)).toEqual(altitudeRgb(kind, 0, theme));
      for (const high of [topM[kind] + 1, 1e9, Number.POSITIVE_INFINITY]) {
        expect(altitudeRgb(kind, high, theme)).toEqual(altitudeRgb(kind, topM[kind], theme));
      }
    }
  });

  test('aircraft have the hues that other viewers give these altitudes', () => {
    const FOOT_M = 0.3048;
    for (const [feet, hueDeg] of [
      [0, 20],
      [4000, 43],
      [9000, 85],
      [11_000, 140],
      [40_000, 300],
    ] as const) {
      expect(Math.abs(hueOf(altitudeRgb('aircraft', feet * FOOT_M, theme)) - hueDeg), `${feet} ft`).toBeLessThan(4);
    }
  });

  test('similar heights have similar colours', () => {
    const steps = fc.record({ kind, part: fc.double({ min: 0, max: 0.99, noNaN: true }) });
    fc.assert(
      fc.property(steps, ({ kind, part }) => {
        const at = part * topM[kind];
        expect(apart(altitudeRgb(kind, at, theme), altitudeRgb(kind, at + topM[kind] / 200, theme))).toBeLessThan(0.12);
      }),
    );
  });

  test('drones have one hue, and go from pale (on light ground, from dark) to full with their height', () => {
    const scale = Array.from({ length: 31 }, (_, step) => altitudeRgb('drone', step * 5, theme));
    for (const rgb of scale) expect(Math.abs(hueOf(rgb) - hueOf(scale[0] as Rgb))).toBeLessThan(1);
    const lightness = scale.map((rgb) => Math.min(...rgb) + Math.max(...rgb));
    expect(lightness).toEqual(lightness.toSorted((a, b) => (theme === 'dark' ? b - a : a - b)));
    expect(new Set(lightness).size).toBe(scale.length);
  });

  test('no drone has a colour of the aircraft scale, with two kinds of colour blindness neither', () => {
    const eyes = [undefined, COLOUR_BLIND.protanopia, COLOUR_BLIND.deuteranopia];
    const scaleOf = (kind: TrackKind) =>
      Array.from({ length: 61 }, (_, step) => altitudeRgb(kind, (topM[kind] * step) / 60, theme));
    for (const eye of eyes) {
      const seen = (rgb: Rgb) => (eye ? seenBy(eye, rgb) : rgb);
      const aircraft = scaleOf('aircraft').map(seen);
      for (const drone of scaleOf('drone').map(seen))
        for (const other of aircraft) expect(colourDifference(drone, other)).toBeGreaterThan(10);
    }
  });

  test('every channel is a number from 0 to 1', () => {
    fc.assert(
      fc.property(kind, metres, (kind, height) => {
        for (const channel of altitudeRgb(kind, height, theme)) {
          expect(channel).toBeGreaterThanOrEqual(0);
          expect(channel).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test('low flights are distinguishable: a drone on the ground, at 50 m and at 120 m has three colours', () => {
    const [ground, low, high] = [0, 50, 120].map((height) => altitudeRgb('drone', height, theme)) as [Rgb, Rgb, Rgb];
    const pairs = [
      [ground, low],
      [low, high],
      [ground, high],
    ] as const;
    for (const [one, other] of pairs) expect(colourDifference(one, other)).toBeGreaterThan(6);
  });
});
