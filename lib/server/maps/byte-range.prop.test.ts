import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestedBytes } from './byte-range.ts';

describe('requestedBytes', () => {
  test('of any text are bytes of the file, or none', () => {
    const number = fc.oneof(fc.nat({ max: 40 }).map(String), fc.constant(''), fc.stringMatching(/^\d{1,400}$/));
    const likely = fc.tuple(number, number).map(([from, to]) => `bytes=${from}-${to}`);
    fc.assert(
      fc.property(fc.oneof(likely, fc.string(), fc.constant(null)), fc.integer({ min: 1, max: 30 }), (header, size) => {
        const range = requestedBytes(header, size);
        if (range === 'none') expect(header).toMatch(/bytes/i);
        else if (range === 'whole') expect(header ?? '').not.toMatch(/^bytes=/);
        else {
          expect(range.first).toBeGreaterThanOrEqual(0);
          expect(range.last).toBeGreaterThanOrEqual(range.first);
          expect(range.last).toBeLessThan(size);
        }
      }),
    );
  });

  test('are those that are there of a range', () => {
    fc.assert(
      fc.property(fc.nat({ max: 40 }), fc.nat({ max: 40 }), fc.integer({ min: 1, max: 30 }), (from, to, size) => {
        const there = Array.from({ length: size }, (_, at) => at).filter((at) => from <= at && at <= to);
        const wanted = there.length === 0 ? 'none' : { first: there[0], last: there.at(-1) };
        expect(requestedBytes(`bytes=${from}-${to}`, size)).toEqual(wanted);
      }),
    );
  });

  test.each([
    ['bytes=-4', { first: 6, last: 9 }],
    ['bytes=-99', { first: 0, last: 9 }],
    ['bytes=-0', 'none'],
    ['bytes=3-', { first: 3, last: 9 }],
    ['bytes=10-', 'none'],
    ['bytes=0-1,4-5', 'none'],
    ['bytes=-', 'none'],
    ['bytes=a-b', 'none'],
    ['tiles=0-1', 'whole'],
    [null, 'whole'],
  ] as const)('%s', (header, wanted) => {
    expect(requestedBytes(header, 10)).toEqual(wanted);
  });
});
