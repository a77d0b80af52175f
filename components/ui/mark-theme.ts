export type MarkThemeName = 'dark' | 'light';

export interface MarkTheme {
  /** Colours as 0xRRGGBB. The ground that marks stand on, against the map. */
  readonly halo: number;
  /** 0 to 1. */
  readonly haloOpacity: number;
  /** Corners of a selected mark. */
  readonly ink: number;
  readonly emergency: number;
  /** The contour of a mark whose confidence label is none of the known ones. */
  readonly neutral: number;
  /** How far lines in a mark's own colour are mixed with `ink`, so that they show against the fill and the map: 0 to 1. */
  readonly lineInk: number;
}

/** The design's tokens background or surface, text, bad, dim and muted of each theme. */
export const MARK_THEMES: Readonly<Record<MarkThemeName, MarkTheme>> = {
  dark: { halo: 0x0b1118, haloOpacity: 0.85, ink: 0xffffff, emergency: 0xff6369, neutral: 0xa3b3c2, lineInk: 0.55 },
  light: { halo: 0xffffff, haloOpacity: 0.9, ink: 0x101820, emergency: 0xc62a2f, neutral: 0x6f8192, lineInk: 0.5 },
};
