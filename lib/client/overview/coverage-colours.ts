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
      { fill: '#1f5fa8', text: PAPER },
      { fill: '#2b74c4', text: PAPER },
      { fill: '#4d9be8', text: INK },
      { fill: '#93c8ff', text: INK },
      { fill: '#e3f2ff', text: INK },
    ],
    hatch: [163, 179, 194],
    edge: '#69a9e6',
  },
  light: {
    steps: [
      { fill: '#a9cff2', text: INK },
      { fill: '#74aee4', text: INK },
      { fill: '#3f86cb', text: INK },
      { fill: '#1f62a6', text: PAPER },
      { fill: '#0a3565', text: PAPER },
    ],
    hatch: [71, 88, 102],
    edge: '#2b72b8',
  },
};
