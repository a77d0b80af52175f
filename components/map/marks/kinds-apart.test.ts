import { describe, expect, test } from 'vitest';
import { type MapTheme, type Rgb, UNKNOWN_RGB } from '#lib/model/altitude-colour.ts';
import { rgbOfHex } from '#lib/model/contrast.fixture.ts';
import { regionPalette } from '../region/region-layers.ts';
import { coloursApart, kindsApart, scaleOf } from './kinds-apart.fixture.ts';

const ZOOMS = [1, 2, 3, 4, 5, 6, 7, 7.4, 7.5, 8, 9, 11, 13, 14, 18];

describe.each(['small', 'normal', 'large'] as const)('%s marks, at every zoom and with any heading', (size) => {
  test.each([
    ['with', true],
    ['without', false],
  ])('a drone and an aircraft %s headings differ by a third of the drone, which is at least 12 px wide', (_, known) => {
    for (const zoom of ZOOMS) {
      const { differingFraction, differingPx, dronePx } = kindsApart(zoom, size, known);
      expect(differingFraction, `part at zoom ${zoom}`).toBeGreaterThan(1 / 3);
      expect(differingPx, `pixels at zoom ${zoom}`).toBeGreaterThan(50);
      expect(dronePx, `width at zoom ${zoom}`).toBeGreaterThanOrEqual(12);
    }
  });
});

/** OKLab times 100; a difference of 2 is visible. */
const KINDS_APART = 10;

/** The fills of the built-in map and of a street map. */
function grounds(theme: MapTheme): readonly Rgb[] {
  const { land, water, green, built, aerodrome } = regionPalette(theme, 0);
  return [land, water, green, built, aerodrome].map(rgbOfHex);
}

describe.each(['dark', 'light'] as const)('on the %s map', (theme) => {
  const [aircraft, drones] = [scaleOf('aircraft', theme), scaleOf('drone', theme)];

  test.each(Object.entries(coloursApart(drones, aircraft)))('drones and aircraft differ with %s', (_, difference) => {
    expect(difference).toBeGreaterThan(KINDS_APART);
  });

  test.each(Object.entries(coloursApart(drones, grounds(theme))))('drones stand out with %s', (_, difference) => {
    expect(difference).toBeGreaterThan(40);
  });

  test.each(Object.entries(coloursApart(aircraft, grounds(theme))))('aircraft stand out with %s', (_, difference) => {
    expect(difference).toBeGreaterThan(20);
  });

  test.each(Object.entries(coloursApart([UNKNOWN_RGB[theme]], drones)))(
    'a drone without height is none of the scale with %s',
    (_, difference) => {
      expect(difference).toBeGreaterThan(KINDS_APART);
    },
  );
});
