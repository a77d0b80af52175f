import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readObjects, readRows } from './read-rows.ts';

const MAX = 1000;
const read = (text: string) => readRows(text, ['aircraft', 'ac'], MAX);
const row = (number: number) =>
  JSON.stringify({ hex: number.toString(16).padStart(6, '0'), lat: number / 100, mlat: [] });
const answer = (rows: readonly string[]) => `{ "now" : 17.5,\n "aircraft" : [\n${rows.join(',\n')}\n ]\n}\n`;

describe('an answer that is no JSON as a whole', () => {
  test.each<[string, string, readonly unknown[]]>([
    [
      'a quote within a text',
      answer([row(1), '{"hex":"000002","flight":"AB"C  ","lat":1}', row(3)]),
      [row(1), undefined, row(3)],
    ],
    ['two of them', answer([row(1), '{"hex":"2","flight":"A"B"C","lat":1}', row(3)]), [row(1), undefined, row(3)]],
    ['a row without its comma', `{"aircraft":[${row(1)} ${row(2)}]}`, [row(1), row(2)]],
    [
      'a comma that is missing within a row',
      answer([row(1), '{"hex":"2" "lat":1}', row(3)]),
      [row(1), undefined, row(3)],
    ],
    [
      'rows that are no objects',
      answer([row(1), 'null', '7', '{"hex":', row(3)]),
      [row(1), undefined, undefined, undefined],
    ],
    ['cut within a row', answer([row(1), row(2)]).slice(0, -30), [row(1), undefined]],
    ['cut after a row', answer([row(1), row(2)]).split('\n ]')[0]!, [row(1), row(2)]],
    ['cut after a comma', answer([row(1), row(2)]).split(row(2))[0]!, [row(1)]],
    ['cut before the first row', '{"now":1,"aircraft":[', []],
    ['a comma after the last row', `{"aircraft":[${row(1)},]}`, [row(1)]],
    ['a list, cut', `[${row(1)},\n${row(2)},\n{"hex":`, [row(1), row(2), undefined]],
  ])('%s: the sound rows are read', (_, text, rows) => {
    expect(read(text)?.isDamaged).toBe(true);
    expect(read(text)?.rows).toEqual(rows.map((each) => (typeof each === 'string' ? JSON.parse(each) : each)));
  });

  test('reads the fields before and after the list', () => {
    expect(read(`{"now":1.5,"aircraft":[${row(1)},{]}`)?.top).toEqual({ now: 1.5 });
    expect(read(`{"ac":[{,${row(1)}],"now":1500,"msg":"No error"}`)?.top).toEqual({ now: 1500, msg: 'No error' });
    expect(read(`{"now":nan,"aircraft":[${row(1)}]}`)).toMatchObject({ top: { now: null }, unusable: ['now'] });
  });

  test.each(['', '<html>', '[', '[1,', '{"now":1', '{"aircraft":{', '"aircraft"', '['.repeat(100_000)])(
    'without a list %s is none',
    (text) => {
      expect(read(text)).toBeUndefined();
    },
  );

  test('however it is cut, every row that is whole is read, and no other', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9999), { minLength: 1, maxLength: 8 }), fc.nat(), (numbers, at) => {
        const rows = numbers.map(row);
        const length = at % answer(rows).length;
        const whole = rows.filter((_, index) => answer(rows.slice(0, index + 1)).indexOf('\n ]') <= length);
        const seen = (read(answer(rows).slice(0, length))?.rows ?? []).filter((each) => each !== undefined);
        expect(seen).toEqual(whole.map((each) => JSON.parse(each)));
      }),
    );
  });

  test('more rows than allowed are one row that is no JSON', () => {
    const text = `{"aircraft":[${Array.from({ length: MAX + 500 }, (_, index) => row(index)).join(',')},`;
    expect(read(text)?.rows).toHaveLength(MAX + 1);
    expect(read(text)?.rows.at(-1)).toBeUndefined();
  });
});

test('an answer that is JSON is read as it is', () => {
  expect(read(answer([row(1), 'null']))).toMatchObject({
    top: { now: 17.5 },
    isDamaged: false,
    isList: false,
    rows: [JSON.parse(row(1)), null],
  });
  expect(read(`[${row(1)}]`)).toMatchObject({ top: {}, isList: true, isDamaged: false });
});

test.each<[string, readonly unknown[]]>([
  ['{"a":1}', [{ a: 1 }]],
  ['{"a":1},', [{ a: 1 }]],
  ['[{"a":1},\n', [{ a: 1 }]],
  ['{"a":1}{"a":2}\n{"a":3}', [{ a: 1 }, { a: 2 }, { a: 3 }]],
  ['{"a":"}{"}', [{ a: '}{' }]],
  ['{"a":1}{"a":', [{ a: 1 }, undefined]],
  ['":1}', [undefined]],
  ['"b":{"a":1},"c":2}', [undefined]],
  ['', [undefined]],
])('the objects of %s', (text, objects) => {
  expect(readObjects(text, MAX).objects).toEqual(objects);
});
