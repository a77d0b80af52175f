interface CoverageColours {
  /** From few to many: luminance alone tells them apart. */
  readonly steps: readonly string[];
  readonly hatch: readonly [number, number, number];
  readonly edge: string;
}

/** Blues, which no mark of a drone or an emergency has. */
export const COVERAGE_COLOURS: Readonly<Record<'dark' | 'light', CoverageColours>> = {
  dark: { steps: ['#14355c', '#1d5690', '#2f7cc4', '#69a9e6', '#b9dcff'], hatch: [163, 179, 194], edge: '#69a9e6' },
  light: { steps: ['#cfe3f7', '#9cc6ee', '#5f9fdc', '#2b72b8', '#0d4680'], hatch: [71, 88, 102], edge: '#2b72b8' },
};
