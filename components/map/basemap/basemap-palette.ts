export type BasemapTheme = 'dark' | 'light';

export interface BasemapPalette {
  readonly water: string;
  readonly land: string;
  readonly coast: string;
  readonly river: string;
  readonly border: string;
  readonly graticule: string;
  readonly graticuleLabel: string;
  readonly placeMinor: string;
  readonly place: string;
  readonly placeMajor: string;
  readonly runway: string;
  readonly airport: string;
}

/** Dark water is lighter than land, or lakes look like holes; nothing outshines a mark. */
const PALETTES: Readonly<Record<BasemapTheme, BasemapPalette>> = {
  dark: {
    water: '#21374c',
    land: '#1b2631',
    coast: '#37506a',
    river: '#26405a',
    border: '#3f5263',
    graticule: '#314457',
    graticuleLabel: '#647787',
    placeMinor: '#8ea1b2',
    place: '#94a7b8',
    placeMajor: '#adbdcb',
    runway: '#4d6072',
    airport: '#a0b8c8',
  },
  light: {
    water: '#cfdce6',
    land: '#eef1ee',
    coast: '#b6c5d0',
    river: '#cbd9e4',
    border: '#b3bfca',
    graticule: '#d6dee2',
    graticuleLabel: '#8496a3',
    placeMinor: '#5f6f7b',
    place: '#54646f',
    placeMajor: '#44535e',
    runway: '#9db0bd',
    airport: '#4f6472',
  },
};

/** This much contrast distinguishes land from water. */
const CONTRAST_LEFT_WHEN_DIMMED = 0.25;

/** @param dimming 0 (as designed) to 1 (barely visible): moves every colour towards the land's */
export function basemapPalette(theme: BasemapTheme, dimming = 0): BasemapPalette {
  const full = PALETTES[theme];
  return dimmedColours(full, full.land, dimming);
}

/**
 * @param colours #rrggbb
 * @param dimming 0 to 1
 */
export function dimmedColours<Name extends string>(
  colours: Readonly<Record<Name, string>>,
  land: string,
  dimming: number,
): Readonly<Record<Name, string>> {
  const share = Math.min(1, Math.max(0, dimming)) * (1 - CONTRAST_LEFT_WHEN_DIMMED);
  if (share === 0) return colours;
  return Object.fromEntries(
    Object.entries<string>(colours).map(([name, colour]) => [name, mixed(colour, land, share)]),
  ) as Record<Name, string>;
}

function mixed(from: string, to: string, share: number): string {
  const channels = [1, 3, 5].map((start) => {
    const a = Number.parseInt(from.slice(start, start + 2), 16);
    const b = Number.parseInt(to.slice(start, start + 2), 16);
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${channels.join('')}`;
}
