import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { rankedPlaces } from '../../../scripts/basemap/ranked-places.ts';
import { readPlaces } from '../../../scripts/basemap/read-package-data.ts';
import { LABEL_FONT, LABEL_FONT_FILES } from './label-fonts.ts';

const root = path.resolve(import.meta.dirname, '../../..');

test('every font file is in its package', () => {
  for (const { packageName, fileName } of LABEL_FONT_FILES) {
    expect(existsSync(path.join(root, 'node_modules', packageName, 'files', fileName)), fileName).toBe(true);
  }
});

test('the label font has the characters of all but a handful of place names', () => {
  const ranges = LABEL_FONT_FILES.filter(({ font }) => font === LABEL_FONT)
    .flatMap(({ unicodeRange }) => unicodeRange)
    .map((range) =>
      range
        .slice('U+'.length)
        .split('-')
        .map((hex) => Number.parseInt(hex, 16)),
    )
    .map(([first, last]) => ({ first: first!, last: last ?? first! }));
  const isCovered = (character: string) => {
    const codePoint = character.codePointAt(0)!;
    return ranges.some(({ first, last }) => first <= codePoint && codePoint <= last);
  };
  const uncovered = rankedPlaces(readPlaces())
    .map(({ attributes }) => attributes.name)
    .filter((name) => ![...name].every(isCovered));
  expect(uncovered.length).toBeLessThan(20);
});
