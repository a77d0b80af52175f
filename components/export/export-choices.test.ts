import { expect, test } from 'vitest';
import { EXPORT_FORMATS } from '#lib/api/export-format.ts';
import { exportQuerySchema } from '#lib/api/query.ts';
import { NO_FILTER } from '#lib/filter/track-filter.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { type ExportedView, type ExportState, exportAddress, exportSentence } from './export-choices.tsx';

const loaded: ExportState = {
  isPast: true,
  hasLayers: true,
  isLoaded: true,
  price: { expected: 0, known: true, maxRequests: 0 },
  hasFailed: false,
  hasAllowance: true,
  shown: 12,
  filtersAge: false,
};

test.each<[RegExp, Partial<ExportState>]>([
  [/^12 tracks in view.*Simulated and test broadcasts are marked/, { isPast: false }],
  [/Both layers are off/, { hasLayers: false }],
  [/Load the past first/, { isLoaded: false }],
  [/Reading the price/, { price: undefined }],
  [/could not be read/, { price: undefined, hasFailed: true }],
  [/no requests\.$/, {}],
  [/about 7 requests\.$/, { price: { expected: 7, known: true, maxRequests: 14 } }],
  [/left out, and listed\. Ask an operator/, { price: { expected: 7, known: true, maxRequests: 0 } }],
  [/^1 track in view/, { isPast: false, shown: 1 }],
  [/shows\.$/, { hasAllowance: false, price: { expected: 145, known: true, maxRequests: 290 } }],
  [/Ages are not filtered/, { filtersAge: true }],
])('%s', (expected, change) => {
  expect(exportSentence({ ...loaded, ...change })).toMatch(expected);
});

const visible = { west: 170, south: -10, east: -170, north: 10 };
const view: ExportedView = {
  visible,
  centre: { lon: 179, lat: 1 },
  layers: new Set(['adsb']),
  filter: { ...NO_FILTER, altitudeM: { from: 0, to: 1000 }, ageS: { from: undefined, to: 30 }, inside: 'view' },
  trails: true,
  past: undefined,
};
const read = (address: string) =>
  exportQuerySchema.parse(Object.fromEntries(new URL(address, 'http://lookout').searchParams));

test.each(EXPORT_FORMATS)('the route understands the address of %s: what the map shows, with its filter', (format) => {
  expect(read(exportAddress(format, view))).toMatchObject({
    format,
    live: { bbox: visible, centre: view.centre, layers: ['adsb'], trails: 'kept' },
    filter: { altitudeM: { from: 0, to: 1000 }, ageS: { to: 30 }, inside: visible },
  });
});

test('of a replay it is the loaded area and window, at the quoted price, without ages', () => {
  const start = upstreamInstant(Date.UTC(2026, 10, 21, 10));
  const area = { west: 7, south: 46, east: 9, north: 48 };
  const window = { start, end: addMs(start, 1_800_000) };
  expect(read(exportAddress('csv', { ...view, past: { area, window, maxRequests: 7, isWide: false } }))).toMatchObject({
    past: { bbox: area, window, maxRequests: 7 },
    filter: { ageS: undefined, inside: visible },
  });
});
