import { type BasemapPalette, type BasemapTheme, basemapPalette, dimmedColours } from '../basemap/basemap-palette.ts';

/** #rrggbb. Fills stay close to the land, so that marks stand out. */
interface RegionColours {
  readonly green: string;
  readonly wood: string;
  readonly sand: string;
  readonly ice: string;
  readonly built: string;
  readonly industrial: string;
  readonly aerodrome: string;
  readonly building: string;
  readonly path: string;
  readonly minorRoad: string;
  readonly majorRoad: string;
  readonly highway: string;
  readonly casing: string;
  readonly rail: string;
}

export type RegionPalette = BasemapPalette & RegionColours;

const COLOURS: Readonly<Record<BasemapTheme, RegionColours>> = {
  dark: {
    green: '#1a2d2f',
    wood: '#182a2b',
    sand: '#242c32',
    ice: '#22303c',
    built: '#1e2934',
    industrial: '#1f2a35',
    aerodrome: '#2d343b',
    building: '#253240',
    path: '#2c3b48',
    minorRoad: '#30404f',
    majorRoad: '#3a4c5c',
    highway: '#45596a',
    casing: '#16202a',
    rail: '#2f3d4b',
  },
  light: {
    green: '#dfeadd',
    wood: '#d8e6d8',
    sand: '#f0eddf',
    ice: '#f6f9fb',
    built: '#e8ecea',
    industrial: '#e5e9ea',
    aerodrome: '#dfe5e4',
    building: '#dce2e4',
    path: '#dde3e6',
    minorRoad: '#fafbfb',
    majorRoad: '#ffffff',
    highway: '#ffffff',
    casing: '#c9d3d9',
    rail: '#c2ccd3',
  },
};

/** @param dimming 0 (as designed) to 1 (barely visible) */
export function regionPalette(theme: BasemapTheme, dimming: number): RegionPalette {
  const { land } = basemapPalette(theme);
  return { ...basemapPalette(theme, dimming), ...dimmedColours({ ...COLOURS[theme] }, land, dimming) };
}
