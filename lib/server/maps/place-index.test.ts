import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, test } from 'vitest';
import { ZURICH } from '#lib/api/found-place.fixture.ts';
import { PLACES_MAX_RESULTS, placesAnswerSchema, placesQuerySchema } from '#lib/api/places-answer.ts';
import { preparePlaces } from '../../../scripts/setup/prepare.ts';
import { PLACE_INDEX_PATH, PlaceIndex } from './place-index.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const index = new PlaceIndex(path.join(ROOT, PLACE_INDEX_PATH));

beforeAll(() => preparePlaces(ROOT), 120_000);

const first = (text: string) => index.find(text).results[0];

describe('places and airports are found', () => {
  test.each([
    ['LSZH', 'Zürich Airport'],
    ['lszh', 'Zürich Airport'],
    ['ZRH', 'Zürich Airport'],
    ['Zürich', 'Zürich'],
    ['zurich', 'Zürich'],
    ['zuri', 'Zürich'],
    ['zurich airport', 'Zürich Airport'],
    ['airport zurich', 'Zürich Airport'],
    ['waid city heliport', 'Zürich Waid City Hospital Heliport'],
    ['łodz', 'Łódź'],
    ['tromso', 'Tromsø'],
    ['3WA2', 'Hanes Airport'],
    ['new york', 'New York City'],
    ['  Bern  ', 'Bern'],
  ])('%s is %s', (text, name) => {
    expect(first(text)?.name).toBe(name);
  });

  test('a word can be the country', () => {
    expect(
      index
        .find('paris us')
        .results.slice(0, 3)
        .map(({ country }) => country),
    ).toEqual(['US', 'US', 'US']);
    expect(first('paris france')).toMatchObject({ name: 'Paris', country: 'FR' });
  });

  test('an airport has its codes, its city and its place', () => {
    const runways = expect.any(Array);
    expect(first('LSZH')).toEqual({ ...ZURICH, lat: 47.458056, lon: 8.548056, runways });
  });

  test('an airport has the runways whose ends are known, and a closed one has none', () => {
    const runways = first('LSZH')?.runways ?? [];
    expect(runways.map(({ name }) => name)).toEqual(['10/28', '14/32', '16/34']);
    const [, { ends } = { ends: [] }] = runways;
    for (const [lon, lat] of ends) expect(Math.hypot(lon - 8.548, lat - 47.458)).toBeLessThan(0.05);
    expect(index.find('tegel').results.find(({ closed }) => closed)?.runways).toEqual([]);
    expect(first('Zürich')?.runways).toEqual([]);
  });

  test('a closed airport is found, said to be closed, and comes last', () => {
    const { results } = index.find('tegel');
    const closed = results.map((result) => result.closed);
    expect(results).toContainEqual(
      expect.objectContaining({ name: 'Berlin-Tegel Otto Lilienthal International Airport', closed: true }),
    );
    expect([...closed].sort()).toEqual(closed);
  });
});

test('An unknown text has no result, and the answer reports how much was searched', () => {
  const answer = index.find('xyzzyplugh');
  expect(answer).toMatchObject({ results: [], more: false });
  expect(answer.searched.places).toBeGreaterThan(130_000);
  expect(answer.searched.airports).toBe(69_899);
});

test.each([
  'san',
  'airport',
  'an',
  'a b',
  '"',
  'OR NOT',
  'name : x',
  'a*',
  "' OR 1=1 --",
  '日本',
  '\u0000\u0000aa',
  'é'.repeat(50),
])('the text %j is a search like any other', (text) => {
  const answer = placesAnswerSchema.parse(index.find(text));
  expect(answer.results.length).toBeLessThanOrEqual(PLACES_MAX_RESULTS);
});

test('Reports that there are more matches than results', () => {
  expect(index.find('airport').more).toBe(true);
  expect(index.find('LSZH').more).toBe(false);
});

test('A query has at least two letters or digits, and an end', () => {
  const accepts = (query: unknown) => placesQuerySchema.safeParse(query).success;
  expect(accepts({ q: 'be' })).toBe(true);
  for (const query of [{}, { q: '' }, { q: 'b' }, { q: '  !' }, { q: 'x'.repeat(101) }, { q: 'bern', extra: '1' }])
    expect(accepts(query), JSON.stringify(query)).toBe(false);
});

test('airports near a place are before its towns, each the nearest first', () => {
  const { results } = index.near({ lat: 47.4647, lon: 8.5492 });
  expect(results[0]).toMatchObject({ kind: 'airport', codes: ['LSZH', 'ZRH'] });
  expect(results[0]?.runways.map(({ name }) => name)).toContain('14/32');
  const kinds = results.map(({ kind }) => kind);
  expect(kinds).toEqual([...kinds].sort());
  expect(results.find(({ kind }) => kind === 'place')?.name).toMatch(/Rümlang/);
  expect(index.near({ lat: 0, lon: -140 }).results).toEqual([]);
  // Both sides of 180°: Waiyevo lies on it.
  const both = index.near({ lat: -16.79, lon: 179.99 }).results.map(({ lon }) => Math.sign(lon));
  expect(new Set(both).size).toBe(2);
});

test('A query names either words or a place', () => {
  const accepts = (query: unknown) => placesQuerySchema.safeParse(query).success;
  expect(accepts({ near: '47.458,8.548' })).toBe(true);
  for (const query of [{ near: '47.458' }, { near: '95,8' }, { q: 'bern', near: '47.458,8.548' }])
    expect(accepts(query), JSON.stringify(query)).toBe(false);
});

test('A missing index is an error, not an empty answer', () => {
  expect(() => new PlaceIndex(path.join(ROOT, 'no-such-index.sqlite')).find('bern')).toThrow();
});

test.each([
  [2, /^The index of places, .*places\.sqlite, was written by a newer Lookout \(version 2, this one reads 1\): delete/],
  [
    0,
    /^The index of places, .*places\.sqlite, was written by an older Lookout \(version 0, this one reads 1\): delete/,
  ],
  [-1, /^The index of places, .*places\.sqlite, cannot be read \(it has no version\)/],
])('An index of version %i is refused with what to do', (version, words) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'place-index-'));
  try {
    const file = path.join(folder, 'places.sqlite');
    copyFileSync(path.join(ROOT, PLACE_INDEX_PATH), file);
    const database = new DatabaseSync(file);
    database.exec(`PRAGMA user_version = ${version}`);
    database.close();
    expect(() => new PlaceIndex(file).open()).toThrow(words);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
