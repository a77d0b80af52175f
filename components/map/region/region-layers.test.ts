import { type StyleSpecification, validateStyleMin } from '@maplibre/maplibre-gl-style-spec';
import { describe, expect, test } from 'vitest';
import { contrast, rgbOfHex } from '#lib/model/contrast.fixture.ts';
import { type BasemapTheme, basemapPalette } from '../basemap/basemap-palette.ts';
import { basemapStyle } from '../basemap/basemap-style.ts';
import { LABEL_FONT } from '../basemap/label-fonts.ts';
import {
  nameLanguage,
  protomapsLayers,
  REGION_ICON,
  type RegionLayers,
  regionIcons,
  regionPalette,
} from './region-layers.ts';

const THEMES: readonly BasemapTheme[] = ['dark', 'light'];
const all = ({ ground, labels, places }: RegionLayers) => [...ground, ...labels, ...places];
const drawn = (theme: BasemapTheme, dimming = 0, language = 'en') =>
  protomapsLayers('region', { theme, dimming, language });

const contrastOf = (one: string, other: string) => contrast(rgbOfHex(one), rgbOfHex(other));

describe.each(THEMES)('a region in the %s theme', (theme) => {
  test.each(['en', 'de', 'hi', 'ja', 'zh-Hant'])(
    'is a valid style on top of the built-in map, with names in %s',
    (language) => {
      const below = basemapStyle(theme);
      const style: StyleSpecification = {
        ...below,
        sources: { ...below.sources, region: { type: 'vector', tiles: ['region://1/{z}/{x}/{y}'] } },
        layers: [...below.layers, ...all(drawn(theme, 0.5, language))],
      };
      expect(validateStyleMin(style)).toEqual([]);
    },
  );

  test('needs no font, sprite or glyph that is not our own', () => {
    const fonts = JSON.stringify(all(drawn(theme, 0, 'hi')));
    expect(fonts).not.toMatch(/Noto|pgf:/);
    const images = new Set(regionIcons().map(({ id }) => id));
    expect([...images].sort()).toEqual(Object.values(REGION_ICON).sort());
    const used = all(drawn(theme)).flatMap((layer) =>
      layer.type === 'symbol' ? [layer.layout?.['icon-image'], layer.layout?.['text-font']] : [],
    );
    const names = JSON.stringify(used).match(/"[A-Za-z][^"]*"/g) ?? [];
    const known = new Set([...images, LABEL_FONT, 'step', 'zoom', 'case', 'literal', '<=', 'get', 'min_zoom']);
    expect(names.map((name) => JSON.parse(name)).filter((name) => !known.has(name))).toEqual([]);
  });

  test('has no background, so that the built-in map shows where the file has nothing', () => {
    expect(all(drawn(theme)).filter(({ type }) => type === 'background')).toEqual([]);
  });

  test('has readable names, and fills and roads that keep out of the way of marks', () => {
    const palette = regionPalette(theme, 0);
    for (const name of [palette.placeMinor, palette.place, palette.placeMajor])
      for (const ground of [palette.land, palette.green, palette.built, palette.aerodrome])
        expect(contrastOf(name, ground)).toBeGreaterThan(4);
    const { green, wood, sand, ice, built, industrial, aerodrome, building } = palette;
    for (const fill of [green, wood, sand, ice, built, industrial, aerodrome, building])
      expect(contrastOf(fill, palette.land)).toBeLessThan(1.3);
    for (const line of [palette.minorRoad, palette.majorRoad, palette.highway, palette.rail, palette.casing])
      expect(contrastOf(line, palette.land)).toBeLessThan(2.2);
  });

  test('is the same land and water as the built-in map, dimmed alike', () => {
    for (const dimming of [0, 0.5, 1])
      expect(regionPalette(theme, dimming)).toMatchObject(basemapPalette(theme, dimming));
  });
});

test('themes and dimmings differ in paint alone, so that one can be recoloured to the other', () => {
  const shape = (layers: RegionLayers) =>
    all(layers).map(({ paint, ...rest }) => ({ ...rest, paint: Object.keys(paint ?? {}) }));
  expect(shape(drawn('light', 1))).toEqual(shape(drawn('dark')));
});

test('names are in the first language of the browser that the schema has, otherwise English', () => {
  expect(nameLanguage(['gsw-CH', 'de-CH', 'fr'])).toBe('de');
  expect(nameLanguage(['zh-TW'])).toBe('zh-Hant');
  expect(nameLanguage(['zh'])).toBe('zh-Hans');
  expect(nameLanguage(['tlh', ''])).toBe('en');
  expect(nameLanguage([])).toBe('en');
});
