import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { altitudeRgb, luminance, type Rgb, UNKNOWN_RGB } from './altitude-colour.ts';
import { COLOUR_BLIND, seenBy } from './colour-vision.fixture.ts';
import { CONFIDENCE_CLASSES } from './confidence.ts';
import { contrast } from './contrast.fixture.ts';
import { AGE_TOP_S, COLOURINGS, markRgb, SPEED_TOP_MPS } from './mark-colour.ts';
import type { TrackKind } from './position.ts';

const KINDS = ['aircraft', 'drone'] as const satisfies TrackKind[];
const DARK_GROUND: Rgb = [11 / 255, 17 / 255, 24 / 255];
const EMERGENCY: readonly Rgb[] = [
  [255 / 255, 99 / 255, 105 / 255],
  [198 / 255, 42 / 255, 47 / 255],
];

const apart = (one: Rgb, other: Rgb) => Math.hypot(...one.map((value, index) => value - (other[index] ?? 0)));
const along = (topOf: number, colour: (value: number) => Rgb) =>
  Array.from({ length: 41 }, (_, step) => colour((topOf * step) / 40));
const classIndexes = CONFIDENCE_CLASSES.map((_, index) => index);
const palette = [
  ...KINDS.flatMap((kind) => along(SPEED_TOP_MPS[kind], (speed) => markRgb('speed', kind, speed))),
  ...along(AGE_TOP_S, (age) => markRgb('age', 'aircraft', age)),
  ...classIndexes.map((index) => markRgb('confidence', 'drone', index)),
  ...KINDS.map((kind) => markRgb('kind', kind, Number.NaN)),
];

describe('markRgb', () => {
  test('"not reported" has its own colour in every colouring but by kind, which is always known', () => {
    for (const colouring of COLOURINGS.filter((name) => name !== 'kind'))
      for (const kind of KINDS) expect(markRgb(colouring, kind, Number.NaN)).toEqual(UNKNOWN_RGB);
    for (const kind of KINDS) expect(markRgb('kind', kind, Number.NaN)).not.toEqual(UNKNOWN_RGB);
    expect(markRgb('confidence', 'aircraft', CONFIDENCE_CLASSES.indexOf('neutral'))).toEqual(UNKNOWN_RGB);
    for (const rgb of palette) if (rgb !== UNKNOWN_RGB) expect(apart(rgb, UNKNOWN_RGB)).toBeGreaterThan(0.15);
  });

  test('faster is brighter and older is darker, so that the order needs no hue', () => {
    for (const kind of KINDS) {
      const speeds = along(SPEED_TOP_MPS[kind], (speed) => markRgb('speed', kind, speed)).map(luminance);
      expect(speeds).toEqual(speeds.toSorted((a, b) => a - b));
      expect(new Set(speeds).size).toBe(speeds.length);
    }
    const ages = along(AGE_TOP_S, (age) => markRgb('age', 'drone', age)).map(luminance);
    expect(ages).toEqual(ages.toSorted((a, b) => b - a));
    expect(new Set(ages).size).toBe(ages.length);
  });

  test.each(Object.entries(COLOUR_BLIND))(
    'with %s too, confidence classes and kinds have different colours',
    (_, matrix) => {
      const sets = [
        classIndexes.map((index) => markRgb('confidence', 'drone', index)),
        KINDS.map((kind) => markRgb('kind', kind, Number.NaN)),
      ];
      for (const colours of sets) {
        const seen = colours.map((rgb) => seenBy(matrix, rgb));
        seen.forEach((rgb, index) => {
          for (const other of seen.slice(index + 1)) expect(apart(rgb, other)).toBeGreaterThan(0.15);
        });
      }
    },
  );

  test('every colour can be seen on the dark map, and none is the red of an emergency', () => {
    for (const rgb of palette) {
      expect(contrast(rgb, DARK_GROUND)).toBeGreaterThanOrEqual(3);
      for (const red of EMERGENCY) expect(apart(rgb, red)).toBeGreaterThan(0.25);
    }
  });

  test('any value, however wrong, has a colour of the scale; beyond it, that of its end', () => {
    fc.assert(
      fc.property(fc.constantFrom(...COLOURINGS), fc.constantFrom(...KINDS), fc.double(), (colouring, kind, value) => {
        for (const channel of markRgb(colouring, kind, value)) {
          expect(channel).toBeGreaterThanOrEqual(0);
          expect(channel).toBeLessThanOrEqual(1);
        }
      }),
    );
    for (const kind of KINDS) {
      expect(markRgb('speed', kind, 1e9)).toEqual(markRgb('speed', kind, SPEED_TOP_MPS[kind]));
      expect(markRgb('age', kind, -5)).toEqual(markRgb('age', kind, 0));
      expect(markRgb('height', kind, 60)).toEqual(altitudeRgb(kind, 60));
    }
  });

  test('a slow aircraft and a fast drone do not look alike', () => {
    expect(apart(markRgb('speed', 'aircraft', 25), markRgb('speed', 'drone', 25))).toBeGreaterThan(0.3);
  });
});
