import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mendObject } from './mend-object.ts';

describe('an object with one damaged value', () => {
  test.each<[string, Record<string, unknown>, readonly string[]]>([
    ['{"a":nan,"b":2}', { a: null, b: 2 }, ['a']],
    ['{"a":-nan,"b":2}', { a: null, b: 2 }, ['a']],
    ['{"a" : inf , "b":-Infinity}', { a: null, b: null }, ['a', 'b']],
    ['{"a":NaN(0x8),"b":2}', { a: null, b: 2 }, ['a']],
    ['{"a":None,"b":True}', { a: null, b: null }, ['a', 'b']],
    ['{"a":0012,"b":2}', { a: null, b: 2 }, ['a']],
    ['{"a":+1,"b":.5}', { a: null, b: null }, ['a', 'b']],
    ['{"a":,"b":2}', { a: null, b: 2 }, ['a']],
    ['{"a":1,"b":}', { a: 1, b: null }, ['b']],
    ['{"a":[1,nan],"b":2,}', { a: [1, null], b: 2 }, ['a']],
    ['{"a":"nan, inf","b":nan}', { a: 'nan, inf', b: null }, ['b']],
    ['{"a":"x\u0001\ty","b":2}', { a: 'x\u0001\ty', b: 2 }, []],
    ['{"a":"x\\C\\\\C\\u00e9\\u1","b":2}', { a: 'x\\C\\C\u00e9\\u1', b: 2 }, []],
  ])('%j keeps the others', (text, object, unusable) => {
    expect(mendObject(text)).toEqual({ object, unusable });
  });

  test.each([
    '{"a":"x"y","b":2}',
    '{"a":1 "b":2}',
    '{"a":1,"b":4',
    '{"a":1,"b":"4',
    '{"a":47,1,"b":2}',
    '[{"a":1}]',
    '7',
    '',
  ])('%j is none: its values would be guesses', (text) => {
    expect(mendObject(text)).toBeUndefined();
  });
});

test('an object that is JSON is as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const text = JSON.stringify(object);
      expect(mendObject(text)).toEqual({ object: JSON.parse(text), unusable: [] });
    }),
  );
});

test('keeps only values that were sent, after any damage', () => {
  const values = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,4}$/),
    fc.oneof(fc.integer(), fc.boolean(), fc.string({ unit: 'binary-ascii' })),
    { minKeys: 1 },
  );
  fc.assert(
    fc.property(values, fc.nat(), fc.constantFrom('nan', '-inf', 'undefined', ''), (object, place, bad) => {
      const names = Object.keys(object);
      const spoilt = names[place % names.length]!;
      const text = `{${names.map((name) => `${JSON.stringify(name)}:${name === spoilt ? bad : JSON.stringify(object[name])}`).join(',')}}`;
      expect(mendObject(text)).toEqual({ object: { ...object, [spoilt]: null }, unusable: [spoilt] });
    }),
  );
});
