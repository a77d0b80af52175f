import { expect, test } from 'vitest';
import { readRange } from './read-range.ts';

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
