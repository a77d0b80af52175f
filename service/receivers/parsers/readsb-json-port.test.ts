import { describe, expect, test } from 'vitest';
import { at, namedKeyOf } from './named-keys.fixture.ts';
import { makeReadsbJsonPort } from './readsb-json-port.ts';
import { EPOCH_S, readsbRow } from './readsb-row.fixture.ts';

const parse = (line: string, policy = {}) =>
  makeReadsbJsonPort({ feed: 'roof', keyOf: namedKeyOf, policy }).parse(line, at(9));

const line = (change: Readonly<Record<string, unknown>> = {}) =>
  `{"now" : ${(EPOCH_S + 7.5).toFixed(3)},${JSON.stringify(readsbRow({ seen_pos: 0.001, ...change })).slice(1)}`;

test('reads one aircraft with its own time from a line', () => {
  expect(parse(line())).toMatchObject({
    feedClockMs: (EPOCH_S + 7.5) * 1000,
    refused: [],
    fixes: [{ trackKey: 'adsb icao:3c66b0', feedTimeMs: (EPOCH_S + 7.499) * 1000, altitudeM: 11_582.4 }],
  });
});

test('counts every line, since lines repeat nothing', () => {
  const parser = makeReadsbJsonPort({ feed: 'roof', keyOf: namedKeyOf });
  for (const _ of [1, 2]) expect(parser.parse(line(), at(9)).fixes).toHaveLength(1);
});

test.each([
  [
    'a line without position, which an option of readsb allows',
    line({ lat: undefined, lon: undefined }),
    'no_position',
  ],
  ['no age', line({ seen_pos: undefined }), 'no_age'],
  ['no time', JSON.stringify(readsbRow()), 'unreadable'],
  ['a time that is text', JSON.stringify(readsbRow({ now: '1795435200' })), 'unreadable'],
  ['a line of SBS', 'MSG,3,1,1,3C66B0', 'unreadable'],
])('%s: refused', (_, text, cause) => {
  expect(parse(text)).toMatchObject({ fixes: [], refused: [cause] });
});

test('applies the operator’s choices', () => {
  expect(parse(line({ dbFlags: 8 }), { piaAndLadd: 'withhold' }).refused).toEqual(['withheld']);
  expect(parse(line(), { emergency: 'unknown' }).fixes[0]?.emergencyState).toBe('unknown');
});

describe('records of several lines', () => {
  const [first, owner, rest] = line().replace(',"ownOp"', ',\n"ownOp"').replace(',"year"', ',\n"year"').split('\n') as [
    string,
    string,
    string,
  ];
  const open = () => {
    const parser = makeReadsbJsonPort({ feed: 'roof', keyOf: namedKeyOf });
    return (...lines: readonly string[]) => {
      const all = lines.map((each) => parser.parse(each, at(9)));
      return [all.flatMap(({ fixes }) => fixes).length, all.flatMap(({ refused }) => refused)];
    };
  };

  test('are joined, as readsb writes them with an aircraft database', () => {
    expect([first.at(-1), owner.slice(0, 7), rest.slice(0, 6)]).toEqual([',', '"ownOp"', '"year"']);
    expect(open()(first, owner, rest, line(), first, owner, rest)).toEqual([3, []]);
  });

  test('lose only a record that does not end', () => {
    expect(open()(first, owner, line())).toEqual([1, ['unreadable']]);
  });

  test('skip the rest of a record at the start of a connection', () => {
    expect(open()(owner, rest, line())).toEqual([1, ['unreadable', 'unreadable']]);
  });

  test('keep no lines of an endless record', () => {
    expect(open()('{"a":1,', ...Array(20).fill('"b":2,'), line())).toEqual([1, Array(14).fill('unreadable')]);
  });

  test.each([
    ['a comma after it', `${line()},`],
    ['a comma before its end', line().replace(/\}$/, ',}')],
    ['nan', line().replace('"gs":450.5', '"gs":nan')],
    ['a raw tab', line().replace('DLH4AB', 'DLH\t4AB')],
  ])('lose no position to %s', (_, text) => {
    expect(open()(text)).toEqual([1, []]);
  });
});
