import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { altitudeRgb, luminance, type Rgb, UNKNOWN_RGB } from './altitude-colour.ts';
import { COLOUR_BLIND, seenBy } from './colour-vision.fixture.ts';
import { CONFIDENCE_CLASSES } from './confidence.ts';
import { contrast, rgbOfHex } from './contrast.fixture.ts';
import { AGE_TOP_S, COLOURINGS, markRgb, SPEED_TOP_MPS } from './mark-colour.ts';
import type { TrackKind } from './position.ts';

const KINDS = ['aircraft', 'drone'] as const satisfies TrackKind[];
const EMERGENCY: readonly Rgb[] = [
  [255 / 255, 99 / 255, 105 / 255],
  [198 / 255, 42 / 255, 47 / 255],
];

const apart = (one: Rgb, other: Rgb) => Math.hypot(...one.map((value, index) => value - (other[index] ?? 0)));
const along = (topOf: number, colour: (value: number) => Rgb) =>
  Array.from({ length: 41 }, (_, step) => colour((topOf * step) / 40));
const classIndexes = CONFIDENCE_CLASSES.map((_, index) => index);
/** Ground of the page, and where marks are harder to see, water of the map. */
const GROUND = { dark: '#0b1118', light: '#cfdce6' } as const;

describe.each(['dark', 'light'] as const)('markRgb on %s ground', (theme) => {
  const palette = [
    ...KINDS.flatMap((kind) => along(SPEED_TOP_MPS[kind], (speed) => markRgb('speed', kind, speed, theme))),
    ...along(AGE_TOP_S, (age) => markRgb('age', 'aircraft', age, theme)),
    ...classIndexes.map((index) => markRgb('confidence', 'drone', index, theme)),
    ...KINDS.map((kind) => markRgb('kind', kind, Number.NaN, theme)),
  ];

  test('"not reported" has its own colour in every colouring but by kind, which is always known', () => {
    for (const colouring of COLOURINGS.filter((name) => name !== 'kind'))
      for (const kind of KINDS) expect(markRgb(colouring, kind, Number.NaN, theme)).toEqual(UNKNOWN_RGB[theme]);
    for (const kind of KINDS) expect(markRgb('kind', kind, Number.NaN, theme)).not.toEqual(UNKNOWN_RGB[theme]);
    expect(markRgb('confidence', 'aircraft', CONFIDENCE_CLASSES.indexOf('neutral'), theme)).toEqual(UNKNOWN_RGB[theme]);
    for (const rgb of palette)
      if (rgb !== UNKNOWN_RGB[theme]) expect(apart(rgb, UNKNOWN_RGB[theme])).toBeGreaterThan(0.15);
  });

  test('faster is more conspicuous and older less, so that the order needs no hue', () => {
    const conspicuous = (rgb: Rgb) => (theme === 'dark' ? luminance(rgb) : -luminance(rgb));
    for (const kind of KINDS) {
      const speeds = along(SPEED_TOP_MPS[kind], (speed) => markRgb('speed', kind, speed, theme)).map(conspicuous);
      expect(speeds).toEqual(speeds.toSorted((a, b) => a - b));
      expect(new Set(speeds).size).toBe(speeds.length);
    }
    const ages = along(AGE_TOP_S, (age) => markRgb('age', 'drone', age, theme)).map(conspicuous);
    expect(ages).toEqual(ages.toSorted((a, b) => b - a));
    expect(new Set(ages).size).toBe(ages.length);
  });

  test.each(Object.entries(COLOUR_BLIND))(
    'with %s too, confidence classes and kinds have different colours',
    (_, matrix) => {
      const sets = [
        classIndexes.map((index) => markRgb('confidence', 'drone', index, theme)),
        KINDS.map((kind) => markRgb('kind', kind, Number.NaN, theme)),
      ];
      for (const colours of sets) {
        const seen = colours.map((rgb) => seenBy(matrix, rgb));
        seen.forEach((rgb, index) => {
          for (const other of seen.slice(index + 1)) expect(apart(rgb, other)).toBeGreaterThan(0.15);
        });
      }
    },
  );

  test('every colour can be seen, and none is the red of an emergency', () => {
    for (const rgb of palette) {
      expect(contrast(rgb, rgbOfHex(GROUND[theme]))).toBeGreaterThanOrEqual(3);
      for (const red of EMERGENCY) expect(apart(rgb, red)).toBeGreaterThan(0.25);
    }
  });

  test('any value, however wrong, has a colour of the scale; beyond it, that of its end', () => {
    fc.assert(
      fc.property(fc.constantFrom(...COLOURINGS), fc.constantFrom(...KINDS), fc.double(), (colouring, kind, value) => {
        for (const channel of markRgb(colouring, kind, value, theme)) {
          expect(channel).toBeGreaterThanOrEqual(0);
          expect(channel).toBeLessThanOrEqual(1);
        }
      }),
    );
    for (const kind of KINDS) {
      expect(markRgb('speed', kind, 1e9, theme)).toEqual(markRgb('speed', kind, SPEED_TOP_MPS[kind], theme));
      expect(markRgb('age', kind, -5, theme)).toEqual(markRgb('age', kind, 0, theme));
      expect(markRgb('height', kind, 60, theme)).toEqual(altitudeRgb(kind, 60, theme));
    }
  });

  test('a slow aircraft and a fast drone do not look alike', () => {
    expect(apart(markRgb('speed', 'aircraft', 25, theme), markRgb('speed', 'drone', 25, theme))).toBeGreaterThan(0.3);
  });
});
