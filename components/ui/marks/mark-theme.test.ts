import { describe, expect, test } from 'vitest';
import { altitudeRgb, type Rgb, UNKNOWN_RGB } from '#lib/model/altitude-colour.ts';
import { contrast } from '#lib/model/contrast.fixture.ts';
import { COLOURINGS, markRgb } from '#lib/model/mark-colour.ts';
import { MARK_THEMES, type MarkThemeName } from './mark-theme.ts';

const THEMES = ['dark', 'light'] as const satisfies MarkThemeName[];
const KINDS = ['aircraft', 'drone'] as const;
const GROUNDS = Array.from({ length: 18 }, (_, step): Rgb => [step / 17, step / 17, step / 17]);
const rgbOf = (hex: number): Rgb => [(hex >> 16) / 255, ((hex >> 8) & 255) / 255, (hex & 255) / 255];
const mix = (from: Rgb, to: Rgb, part: number): Rgb => [
  from[0] + (to[0] - from[0]) * part,
  from[1] + (to[1] - from[1]) * part,
  from[2] + (to[2] - from[2]) * part,
];

describe.each(THEMES)('marks in the %s theme', (name) => {
  const theme = MARK_THEMES[name];
  const colours: readonly Rgb[] = [
    UNKNOWN_RGB[name],
    ...KINDS.flatMap((kind) =>
      Array.from({ length: 60 }, (_, step) => altitudeRgb(kind, (step / 59) * (kind === 'drone' ? 150 : 15_545), name)),
    ),
    ...COLOURINGS.flatMap((colouring) =>
      KINDS.flatMap((kind) => Array.from({ length: 30 }, (_, step) => markRgb(colouring, kind, step * 10, name))),
    ),
  ];
  const halos = GROUNDS.map((ground) => mix(ground, rgbOf(theme.halo), theme.haloOpacity));
  const againstHalo = (line: Rgb) => Math.min(...halos.map((halo) => contrast(line, halo)));

  test('have a contour that stands out from their halo, whatever the map has below it', () => {
    for (const colour of colours) {
      expect(againstHalo(mix(colour, rgbOf(theme.ink), theme.lineInk))).toBeGreaterThanOrEqual(3);
    }
  });

  test('have an emergency’s ring and a selection’s corners that stand out from theirs', () => {
    for (const line of [theme.emergency, theme.ink]) expect(againstHalo(rgbOf(line))).toBeGreaterThanOrEqual(3);
  });
});
