import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import type { TrailPass } from './trail-renderer.ts';

export interface TrailLook {
  readonly halfPx: number;
  readonly dotPx: number;
  readonly opacity: readonly [past: number, ahead: number];
  readonly passes: Readonly<Record<BasemapTheme, readonly TrailPass[]>>;
}

/** Tokens background and surface, as for the marks' halo. */
const darkGround = [11 / 255, 17 / 255, 24 / 255] as const;
const lightGround = [1, 1, 1] as const;

/** On light, mixed with ink so that yellow and green stay visible. */
const linesOnDark: TrailPass = { growPx: 0, tint: [0, 0, 0, 0], ground: darkGround };
const linesOnLight: TrailPass = { growPx: 0, tint: [16 / 255, 24 / 255, 32 / 255, 0.38], ground: lightGround };

const PATH_EDGE_PX = 1.25;

export const SELECTED_PATH_LOOK: TrailLook = {
  halfPx: 1.25,
  dotPx: 2.75,
  opacity: [1, 0.45],
  passes: {
    dark: [{ growPx: PATH_EDGE_PX, tint: [...darkGround, 1], ground: darkGround }, linesOnDark],
    light: [{ growPx: PATH_EDGE_PX, tint: [...lightGround, 1], ground: lightGround }, linesOnLight],
  },
};

export const RECENT_TRAILS_LOOK: TrailLook = {
  halfPx: 0.75,
  dotPx: 0,
  opacity: [0.7, 0],
  passes: { dark: [linesOnDark], light: [linesOnLight] },
};
