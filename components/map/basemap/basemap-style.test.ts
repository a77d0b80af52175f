import { type StyleSpecification, validateStyleMin } from '@maplibre/maplibre-gl-style-spec';
import { describe, expect, test } from 'vitest';
import { luminance } from '#lib/model/altitude-colour.ts';
import { contrast, rgbOfHex } from '#lib/model/contrast.fixture.ts';
import { AIRPORTS_SOURCE } from './airport-layers.ts';
import { AIRPORT_LAYER } from './airport-tileset.ts';
import { type BasemapTheme, basemapPalette } from './basemap-palette.ts';
import { ABOVE_PLACES, BASEMAP_SOURCE, BELOW_GRATICULE, basemapStyle, PLACE_NAMES } from './basemap-style.ts';
import { BASEMAP_LAYER } from './basemap-tileset.ts';

const THEMES: readonly BasemapTheme[] = ['dark', 'light'];

const contrastOf = (one: string, other: string) => contrast(rgbOfHex(one), rgbOfHex(other));

describe.each(THEMES)('the %s basemap', (theme) => {
  const style = basemapStyle(theme);

  test('is a valid style, with every option', () => {
    for (const options of [{}, { dimming: 0.6, graticule: false, places: false }]) {
      expect(validateStyleMin(basemapStyle(theme, options) as StyleSpecification)).toEqual([]);
    }
  });

  test('requests nothing but paths of its own origin', () => {
    const requested = (key: string, value: unknown) => (key === 'attribution' ? undefined : value);
    const addresses = JSON.stringify(style, requested).match(/"[^"]*\/\/[^"]*"/g);
    expect(addresses).toEqual(['"pmtiles:///basemap/lookout.pmtiles"', '"pmtiles:///basemap/airports.pmtiles"']);
    expect(style.glyphs).toBeUndefined();
    expect(style.sprite).toBeUndefined();
    for (const faces of Object.values(style['font-faces']!)) {
      for (const face of faces as { url: string }[]) expect(face.url).toMatch(/^\/basemap\/fonts\/[a-z-]+\.woff2$/);
    }
  });

  test('names the sources that require attribution', () => {
    const attribution = (source: string) => (style.sources[source] as { attribution: string }).attribution;
    expect(attribution(BASEMAP_SOURCE)).toContain('© GeoNames (CC BY 4.0)');
    expect(attribution(BASEMAP_SOURCE)).toContain('© OpenStreetMap contributors (ODbL 1.0)');
    expect(attribution(AIRPORTS_SOURCE)).toMatch(/OurAirports \(ODbL 1\.0\)/);
  });

  test('draws every layer of the tiles', () => {
    const drawn = new Set(style.layers.flatMap((layer) => ('source-layer' in layer ? [layer['source-layer']] : [])));
    expect([...drawn].sort()).toEqual([...Object.values(BASEMAP_LAYER), ...Object.values(AIRPORT_LAYER)].sort());
  });

  test('has the layers to insert before, lines under labels', () => {
    const ids = style.layers.map(({ id }) => id);
    expect(ids.indexOf(BELOW_GRATICULE)).toBeGreaterThan(ids.indexOf('border'));
    expect(ids.indexOf('graticule-label')).toBeGreaterThan(ids.indexOf(BELOW_GRATICULE));
    const firstLabel = style.layers.findIndex(({ type }) => type === 'symbol');
    expect(ids[firstLabel]).toBe('graticule-label');
  });

  test('has readable place names, undimmed', () => {
    const palette = basemapPalette(theme);
    for (const colour of [palette.placeMinor, palette.place, palette.placeMajor, palette.airport]) {
      expect(contrastOf(colour, palette.land)).toBeGreaterThanOrEqual(4.5);
    }
  });

  test('lets names of airports win over those of places, which come below them', () => {
    const ids = style.layers.map(({ id }) => id);
    expect(ids.indexOf(PLACE_NAMES)).toBeLessThan(ids.indexOf('airport-label'));
    expect(ids.indexOf(PLACE_NAMES)).toBeLessThan(ids.indexOf(ABOVE_PLACES));
  });

  test('has borders and graticule fainter than names', () => {
    const palette = basemapPalette(theme);
    for (const colour of [palette.border, palette.coast, palette.graticule]) {
      expect(contrastOf(colour, palette.land)).toBeLessThan(2.2);
    }
  });
});

test('dark water is lighter and bluer than the land, and names can be read on both', () => {
  const { water, land, placeMinor, place, placeMajor } = basemapPalette('dark');
  const [waterRgb, landRgb] = [rgbOfHex(water), rgbOfHex(land)];
  expect(luminance(waterRgb)).toBeGreaterThan(luminance(landRgb));
  expect(waterRgb[2] - waterRgb[0]).toBeGreaterThan(landRgb[2] - landRgb[0]);
  expect(contrastOf(water, land)).toBeGreaterThan(1.2);
  for (const [name, least] of [
    [placeMinor, 5.5],
    [place, 5.9],
    [placeMajor, 7.8],
  ] as const) {
    expect(contrastOf(name, land)).toBeGreaterThanOrEqual(least);
    expect(contrastOf(name, water)).toBeGreaterThanOrEqual(4.5);
  }
});

test('both themes have the same layers, so that one can be recoloured to the other', () => {
  const shape = (theme: BasemapTheme) =>
    basemapStyle(theme).layers.map(({ id, type, paint }) => ({ id, type, paint: Object.keys(paint ?? {}) }));
  expect(shape('dark')).toEqual(shape('light'));
});

test('options hide the graticule and the names', () => {
  const hidden = (options: Parameters<typeof basemapStyle>[1]) =>
    basemapStyle('dark', options)
      .layers.filter(({ layout }) => layout?.visibility === 'none')
      .map(({ id }) => id);
  expect(hidden({})).toEqual([]);
  expect(hidden({ places: false })).toEqual(['place']);
  expect(hidden({ graticule: false }).every((id) => id.startsWith('graticule-'))).toBe(true);
  expect(hidden({ graticule: false })).toHaveLength(7);
});

test('dimming moves all colours towards that of the land, and land and water stay distinct', () => {
  for (const theme of THEMES) {
    const full = basemapPalette(theme);
    const dimmed = basemapPalette(theme, 1);
    expect(dimmed.land).toBe(full.land);
    expect(dimmed.water).not.toBe(full.land);
    expect(contrastOf(dimmed.placeMajor, full.land)).toBeLessThan(contrastOf(full.placeMajor, full.land) / 2);
    expect(basemapPalette(theme, 7)).toEqual(dimmed);
    expect(basemapPalette(theme, -1)).toEqual(full);
  }
});
