import { expect, test } from 'vitest';
import { type FindState, findStateText } from './find-text.ts';

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
