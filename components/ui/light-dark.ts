import { cssColour, type MapTheme, type Rgb } from '#lib/model/altitude-colour.ts';

/**
 * A colour for `style`. Style sheets are compiled for browsers without `light-dark()`: it then stands on these variables,
 * which the compiler sets wherever a `color-scheme` is.
 */
export function lightDark(light: string, dark: string): string {
  const isSupported = typeof CSS === 'undefined' || CSS.supports('color', 'light-dark(red, red)');
  return isSupported
    ? `light-dark(${light}, ${dark})`
    : `var(--lightningcss-light, ${light}) var(--lightningcss-dark, ${dark})`;
}

/** The colour that a mark has in the theme of the page, for `style`. */
export function themedColour(colourOf: (theme: MapTheme) => Rgb): string {
  return lightDark(cssColour(colourOf('light')), cssColour(colourOf('dark')));
}
