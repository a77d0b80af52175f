import { expect, test } from 'vitest';
import { csvRows } from './csv.ts';

test.each(['\n', '\r', '\r\n', '\n\r'])(
  'a line break in a text (%j) begins no row, so what follows is no formula',
  (end) => {
    expect(csvRows([[`seen${end}=1+1`, 'y']])).toBe(`"seen${end}=1+1",y\r\n`);
  },
);

test('text that a spreadsheet would run gets an apostrophe, and a negative number stays one', () => {
  expect(csvRows([['=1+1', ' @sum', '\uFF1D1', -1, true, null]])).toBe("'=1+1,' @sum,'\uFF1D1,-1,true,\r\n");
});
