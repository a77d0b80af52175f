import { describe, expect, test } from 'vitest';
import { parseBbox } from './parse-bbox.ts';

describe('parseBbox', () => {
  test('west > east is a box across 180°', () => {
    expect(parseBbox('170,-10,-170,10')).toEqual({ ok: true, bbox: { west: 170, south: -10, east: -170, north: 10 } });
  });

  test.each([
    ['three numbers', '1,2,3', /four numbers/],
    ['five numbers', '1,2,3,4,5', /four numbers/],
    ['an exponent', '1e1,2,30,4', /plain decimal/],
    ['NaN', 'NaN,2,3,4', /plain decimal/],
    ['Infinity', '-Infinity,2,3,4', /plain decimal/],
    ['a space', '1, 2,3,4', /plain decimal/],
    ['hexadecimal', '0x1,2,3,4', /plain decimal/],
    ['an empty part', ',2,3,4', /plain decimal/],
    ['a number of 33 characters', `${'0'.repeat(33)},2,3,4`, /plain decimal/],
    ['a longitude beyond 180', '1,2,180.1,4', /longitudes/],
    ['a latitude beyond 90', '1,2,3,90.1', /latitudes/],
    ['no height', '1,2,3,2', /north must exceed south/],
    ['south above north', '1,5,3,2', /north must exceed south/],
    ['no width', '1,2,1,4', /east must differ/],
  ])('rejects %s with a message that says what is expected', (_, text, message) => {
    expect(parseBbox(text)).toEqual({ ok: false, message: expect.stringMatching(message) });
  });
});
