import { expect, test } from 'vitest';
import { parseRadii } from './ring-radii.ts';

test('radii are numbers with commas or spaces between them, in ascending order', () => {
  expect(parseRadii('10, 2.5  1;5')).toEqual({ ok: true, radii: [1, 2.5, 5, 10] });
  expect(parseRadii('5, 5, ')).toEqual({ ok: true, radii: [5] });
});

test.each(['', ' , ', '0', '-1', '1,two', '1e9', '5001', '1.2345', 'Infinity', '１'])('%j is refused', (text) => {
  expect(parseRadii(text)).toMatchObject({ ok: false });
});

test('there are at most a dozen', () => {
  expect(parseRadii(Array.from({ length: 12 }, (_, at) => at + 1).join()).ok).toBe(true);
  expect(parseRadii(Array.from({ length: 13 }, (_, at) => at + 1).join()).ok).toBe(false);
});
