export type MarkThemeName = 'dark' | 'light';

export interface MarkTheme {
  /** Colours are 0xRRGGBB. */
  readonly halo: number;
  /** Between 0 and 1. */
  readonly haloOpacity: number;
  readonly ink: number;
  readonly emergency: number;
  /** Share of `ink` in lines of a mark's own colour, 0 to 1. */
  readonly lineInk: number;
  /** The rim of small marks; `dotRimOwn` is the share of the mark's own colour in it, 0 to 1. */
  readonly dotRim: number;
  readonly dotRimOwn: number;
}

/** The colours are from the design tokens of each theme: background or surface, text, bad. */
export const MARK_THEMES: Readonly<Record<MarkThemeName, MarkTheme>> = {
  dark: {
    halo: 0x0b1118,
    haloOpacity: 0.85,
    ink: 0xffffff,
    emergency: 0xff6369,
    lineInk: 0.55,
    dotRim: 0x0b1118,
    dotRimOwn: 0,
  },
  light: {
    halo: 0xffffff,
    haloOpacity: 0.9,
    ink: 0x101820,
    emergency: 0xc62a2f,
    lineInk: 0.7,
    dotRim: 0x101820,
    dotRimOwn: 0.4,
  },
};
