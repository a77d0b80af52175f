import { expect, test } from 'vitest';
import { readRange, readRangeText } from './read-range.ts';

test.each([
  ['', '', undefined],
  ['0', '120', { from: 0, to: 120 }],
  [' 1,5 ', '', { from: 1.5, to: undefined }],
  ['', '-10', { from: undefined, to: -10 }],
])('%j to %j', (from, to, range) => {
  expect(readRange(from, to)).toEqual({ problem: undefined, range });
});

test.each([
  ['abc', '', /numbers/],
  ['1', '1e3', /numbers/],
  ['10', '5', /greater/],
  ['5', '5', /greater/],
])('%j to %j is explained', (from, to, problem) => {
  expect(readRange(from, to).problem).toMatch(problem);
});

test.each([
  ['', undefined],
  ['500..1000', { from: 500, to: 1000 }],
  [' 1,5 .. ', { from: 1.5, to: undefined }],
  ['..-10', { from: undefined, to: -10 }],
  ['1…2', { from: 1, to: 2 }],
  ['-2–-1', { from: -2, to: -1 }],
])('%j in one field', (text, range) => {
  expect(readRangeText(text, false)).toEqual({ problem: undefined, range });
});

test.each([
  ['500', /two dots/],
  ['1..2..3', /two dots/],
  ['a..b', /numbers/],
  ['330..30', /greater/],
])('%j in one field is explained', (text, problem) => {
  expect(readRangeText(text, false).problem).toMatch(problem);
});

test('directions may lead over north', () => {
  expect(readRangeText('330..30', true)).toEqual({ problem: undefined, range: { from: 330, to: 30 } });
  expect(readRangeText('30..30', true).problem).toMatch(/greater/);
});
