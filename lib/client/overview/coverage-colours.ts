interface CoverageStep {
  readonly fill: string;
  /** The colour of text on `fill`, with a contrast of at least 4.5:1. */
  readonly text: string;
}

interface CoverageColours {
  /** The steps from few to many, which luminance alone tells apart. */
  readonly steps: readonly [CoverageStep, CoverageStep, CoverageStep, CoverageStep, CoverageStep];
  readonly hatch: readonly [number, number, number];
  readonly edge: string;
}

const INK = '#101820';
const PAPER = '#ffffff';

/** Blue tones, which no mark of a drone or an emergency has. */
export const COVERAGE_COLOURS: Readonly<Record<'dark' | 'light', CoverageColours>> = {
  dark: {
    steps: [
      { fill: '#143863', text: PAPER },
      { fill: '#1c5796', text: PAPER },
      { fill: '#2870b8', text: PAPER },
      { fill: '#69a9e6', text: INK },
      { fill: '#c3e1ff', text: INK },
    ],
    hatch: [163, 179, 194],
    edge: '#69a9e6',
  },
  light: {
    steps: [
      { fill: '#cfe3f7', text: INK },
      { fill: '#9cc6ee', text: INK },
      { fill: '#5f9fdc', text: INK },
      { fill: '#2b72b8', text: PAPER },
      { fill: '#0d4680', text: PAPER },
    ],
    hatch: [71, 88, 102],
    edge: '#2b72b8',
  },
};
