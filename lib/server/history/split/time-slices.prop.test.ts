import fc from 'fast-check';
import { expect, test } from 'vitest';
import { msBetween, upstreamInstant } from '#lib/time/instant.ts';
import { TimeSlices } from './box-slices.ts';

const LENGTH = 30;
const between = (start: number, end: number) => ({ start: upstreamInstant(start), end: upstreamInstant(end) });
const change = fc
  .tuple(fc.integer({ min: 0, max: LENGTH - 1 }), fc.integer({ min: 1, max: LENGTH }), fc.constantFrom('a', 'b', 'c'))
  .map(([start, length, value]) => ({ start, end: Math.min(LENGTH, start + length), value }));

test('after any changes each millisecond has the last value set, in the fewest spans', () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const timeline = new TimeSlices(between(0, LENGTH), 'a');
      const expected = new Array<string>(LENGTH).fill('a');
      for (const { start, end, value } of changes) {
        timeline.set(between(start, end), value);
        expected.fill(value, start, end);
      }
      const spans = timeline.spans;
      expect(
        spans.flatMap(({ window, value }) => new Array<string>(msBetween(window.start, window.end)).fill(value)),
      ).toEqual(expected);
      for (const [index, span] of spans.entries()) {
        expect(span.window.start).toBe(index === 0 ? 0 : spans[index - 1]?.window.end);
        if (index > 0) expect(span.value).not.toBe(spans[index - 1]?.value);
      }
    }),
  );
});
