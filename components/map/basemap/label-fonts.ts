/**
 * Fonts are served from our own origin, without a glyph server. MapLibre draws a variable font at weight 400, and
 * fetches files on first use.
 */

/** A value for `text-font`. */
export const LABEL_FONT = 'Inter';

export interface LabelFontFile {
  readonly font: typeof LABEL_FONT;
  readonly packageName: string;
  readonly fileName: string;
  readonly unicodeRange: readonly string[];
}

/** From the package's unicode.json (fontsource 5.3.0, from Google Fonts); no later subset hides an earlier one. */
const UNICODE_RANGES = {
  latin:
    'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD',
  'latin-ext':
    'U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+0304,U+0308,U+0329,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF',
  vietnamese:
    'U+0102-0103,U+0110-0111,U+0128-0129,U+0168-0169,U+01A0-01A1,U+01AF-01B0,U+0300-0301,U+0303-0304,U+0308-0309,U+0323,U+0329,U+1EA0-1EF9,U+20AB',
  greek: 'U+0370-0377,U+037A-037F,U+0384-038A,U+038C,U+038E-03A1,U+03A3-03FF',
  cyrillic: 'U+0301,U+0400-045F,U+0490-0491,U+04B0-04B1,U+2116',
} as const;

function fontFiles(font: LabelFontFile['font'], packageName: string, filePrefix: string): LabelFontFile[] {
  return Object.entries(UNICODE_RANGES).map(([subset, ranges]) => ({
    font,
    packageName,
    fileName: `${filePrefix}-${subset}-wght-normal.woff2`,
    unicodeRange: ranges.split(','),
  }));
}

export const LABEL_FONT_FILES: readonly LabelFontFile[] = [
  ...fontFiles(LABEL_FONT, '@fontsource-variable/inter', 'inter'),
];
