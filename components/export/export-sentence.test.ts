import { expect, test } from 'vitest';
import { type ExportState, exportSentence } from './export-sentence.ts';

const loaded: ExportState = {
  isPast: true,
  hasLayers: true,
  isLoaded: true,
  expected: 0,
  hasFailed: false,
  shown: 12,
  filtersAge: false,
};

test.each<[RegExp, Partial<ExportState>]>([
  [/12 marks are on the map.*Simulated and test broadcasts are marked/, { isPast: false }],
  [/Both layers are off/, { hasLayers: false }],
  [/Load the past first/, { isLoaded: false }],
  [/Asking for the price/, { expected: undefined }],
  [/could not be asked/, { expected: undefined, hasFailed: true }],
  [/no requests\.$/, {}],
  [/about 7 requests\.$/, { expected: 7 }],
  [/Ages are not filtered/, { filtersAge: true }],
])('%s', (expected, change) => {
  expect(exportSentence({ ...loaded, ...change })).toMatch(expected);
});
