import { cssColour, type MapTheme, type Rgb } from '#lib/model/altitude-colour.ts';
import { lightDark } from '../light-dark.ts';

/** The colour that a mark has in the theme of the page, for `style`. */
export function themedColour(colourOf: (theme: MapTheme) => Rgb): string {
  return lightDark(cssColour(colourOf('light')), cssColour(colourOf('dark')));
}
