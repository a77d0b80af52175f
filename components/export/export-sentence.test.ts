import { expect, test } from 'vitest';
import { type ExportState, exportSentence } from './export-sentence.ts';

const loaded: ExportState = {
  isPast: true,
  hasLayers: true,
  isLoaded: true,
  price: { expected: 0, known: true, maxRequests: 0 },
  hasFailed: false,
  shown: 12,
  filtersAge: false,
};

test.each<[RegExp, Partial<ExportState>]>([
  [/12 marks are on the map.*Simulated and test broadcasts are marked/, { isPast: false }],
  [/Both layers are off/, { hasLayers: false }],
  [/Load the past first/, { isLoaded: false }],
  [/Reading the price/, { price: undefined }],
  [/could not be read/, { price: undefined, hasFailed: true }],
  [/no requests\.$/, {}],
  [/about 7 requests\.$/, { price: { expected: 7, known: true, maxRequests: 14 } }],
  [/left out, and listed: your role spends nothing/, { price: { expected: 7, known: true, maxRequests: 0 } }],
  [/Ages are not filtered/, { filtersAge: true }],
])('%s', (expected, change) => {
  expect(exportSentence({ ...loaded, ...change })).toMatch(expected);
});
