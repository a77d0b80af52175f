import { fireEvent } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ZURICH } from '#lib/api/found-place.fixture.ts';
import type { FoundPlace } from '#lib/api/places-answer.ts';
import { showPage } from '#testing/shown-page.tsx';
import { type FindState, findStateText, foundEntries } from './find-dialog.tsx';

test('Enter that ends a composition chooses nothing, also in Safari, which no longer calls it composing', async () => {
  const { screen, user, lookout } = await showPage();
  const commands: unknown[] = [];
  lookout.mapCommands.listen((command) => commands.push(command));
  await user.keyboard('/');
  const field = await screen.findByRole('combobox', { name: /^Find a reference/ });
  await user.type(field, '47.458, 8.548');
  await expect.poll(() => screen.queryAllByRole('option').length).toBeGreaterThan(0);
  fireEvent.keyDown(field, { key: 'ArrowDown' });
  fireEvent.keyDown(field, { key: 'Enter', keyCode: 229 });
  expect(commands).toEqual([]);
  fireEvent.keyDown(field, { key: 'Enter', keyCode: 13 });
  expect(commands).toMatchObject([{ kind: 'go-to', lat: 47.458, lon: 8.548 }]);
});

const nothing = { text: '', coordinates: undefined, tracks: [], places: [] } as const;

test('Coordinates come first, then references that begin with the text, places, and other references', () => {
  const coordinates = { ok: true, place: { lon: 8, lat: 47 } } as const;
  const tracks = ['adsb-0-00ab1', 'adsb-0-1ab00'].map((ref) => ({ ref, isDrone: false }));
  const entries = foundEntries({ text: ' 1AB', coordinates, tracks, places: [ZURICH] });
  expect(entries.map(({ title }) => title)).toEqual([
    '47.00000, 8.00000',
    '1ab00',
    'LSZH / ZRH Zürich Airport',
    '00ab1',
  ]);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(4);
});

test('Coordinates that are not clear are no entry', () => {
  expect(foundEntries({ ...nothing, coordinates: { ok: false, problem: 'unclear' } })).toEqual([]);
});

test.each([
  [ZURICH, 'Airport · Zurich, Switzerland'],
  [{ ...ZURICH, closed: true, codes: [] }, 'Closed airport · Zurich, Switzerland'],
  [
    { ...ZURICH, kind: 'place', name: 'Bern', city: null, codes: [], population: 121_631 },
    'Place · Switzerland · 121 631 inhabitants',
  ],
  [{ ...ZURICH, kind: 'place', city: null, codes: [], country: 'X?' }, 'Place · X?'],
] as const)('A place says what it is and where', (place, detail) => {
  const [entry] = foundEntries({ ...nothing, places: [place as FoundPlace] });
  expect(entry?.detail.replace(/\s/g, ' ')).toBe(detail);
});

const answer = { more: false, searched: { places: 134_900, airports: 69_899 } };
const state: FindState = {
  text: 'bern',
  entryCount: 0,
  coordinateProblem: undefined,
  trackCount: 41,
  places: { state: 'searched', answer },
};

test.each([
  ['', { text: ' ' }, 'Searches current tracks and the built-in place list.'],
  [
    'nothing found',
    {},
    'Nothing found. Searched: the 41 references on this page, 134 900 places, 69 899 airports and heliports, and coordinates in decimal degrees, DMS and MGRS.',
  ],
  ['found', { entryCount: 3 }, '3 found.'],
  [
    'too many',
    { entryCount: 20, places: { state: 'searched', answer: { ...answer, more: true } } },
    '20 found. More places match: type more of the name.',
  ],
  ['searching', { places: { state: 'searching' } }, 'Searching places and airports…'],
  [
    'not searched',
    { places: { state: 'failed', failure: 'unreachable' }, trackCount: 1 },
    'Places and airports were not searched: no answer from Lookout’s own server. Nothing found. Searched: the 1 reference on this page and coordinates in decimal degrees, DMS and MGRS.',
  ],
  [
    'unclear',
    { coordinateProblem: 'O can mean east or west: write E or W.', entryCount: 1 },
    'Not read as coordinates: O can mean east or west: write E or W. 1 found.',
  ],
  [
    'one letter',
    { entryCount: 2, places: { state: 'too-short' } },
    '2 found. Places and airports are searched from two letters or digits.',
  ],
] as const)('The state of a search in words: %s', (_, change, text) => {
  expect(findStateText({ ...state, ...change } as FindState).replace(/\s/g, ' ')).toBe(text);
});
