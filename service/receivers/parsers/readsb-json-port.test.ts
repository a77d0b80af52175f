import { expect, test } from 'vitest';
import { at, namedKeyOf } from './named-keys.fixture.ts';
import { makeReadsbJsonPort } from './readsb-json-port.ts';
import { EPOCH_S, readsbRow } from './readsb-row.fixture.ts';

const parse = (line: string, policy = {}) =>
  makeReadsbJsonPort({ feed: 'roof', keyOf: namedKeyOf, policy }).parse(line, at(9));

/** readsb puts a blank before the first colon. */
const line = (change: Readonly<Record<string, unknown>> = {}) =>
  `{"now" : ${(EPOCH_S + 7.5).toFixed(3)},${JSON.stringify(readsbRow({ seen_pos: 0.001, ...change })).slice(1)}`;

test('a line is one aircraft with its own time', () => {
  expect(parse(line())).toMatchObject({
    feedClockMs: (EPOCH_S + 7.5) * 1000,
    refused: [],
    fixes: [{ trackKey: 'adsb icao:3c66b0', feedTimeMs: (EPOCH_S + 7.499) * 1000, altitudeM: 11_582.4 }],
  });
});

test('every line counts: nothing is repeated, so nothing is compared', () => {
  const parser = makeReadsbJsonPort({ feed: 'roof', keyOf: namedKeyOf });
  for (const _ of [1, 2]) expect(parser.parse(line(), at(9)).fixes).toHaveLength(1);
});

test.each([
  [
    'a line without position, which readsb can be told to write',
    line({ lat: undefined, lon: undefined }),
    'no_position',
  ],
  ['a comma after it, as files of such lines have', `${line()},`, 'unreadable'],
  ['no time', JSON.stringify(readsbRow()), 'unreadable'],
  ['a time that is text', JSON.stringify(readsbRow({ now: '1795435200' })), 'unreadable'],
  ['a line of SBS', 'MSG,3,1,1,3C66B0', 'unreadable'],
])('%s: refused', (_, text, cause) => {
  expect(parse(text)).toMatchObject({ fixes: [], refused: [cause] });
});

test('the operator’s decisions hold here too', () => {
  expect(parse(line({ dbFlags: 8 }), { piaAndLadd: 'withhold' }).refused).toEqual(['withheld']);
  expect(parse(line(), { emergency: 'unknown' }).fixes[0]?.emergencyState).toBe('unknown');
});
