import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeLineSplitter } from './line-splitter.ts';

const MAX = 8;

function split(chunks: readonly Uint8Array[]) {
  const seen: string[] = [];
  const push = makeLineSplitter(MAX, {
    line: (line) => seen.push(Buffer.from(line).toString('latin1')),
    tooLong: () => seen.push('too long'),
  });
  for (const chunk of chunks) {
    const reused = Uint8Array.from(chunk);
    push(reused);
    reused.fill(0);
  }
  return seen;
}

test('gives the same lines for any chunks, and reports each line that is too long once', () => {
  const text = fc
    .array(fc.tuple(fc.stringMatching(/^[ab]{0,12}$/), fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 12 })
    .map((lines) => lines.flat().join(''));
  const cuts = fc.array(fc.nat(160), { maxLength: 10 });
  fc.assert(
    fc.property(text, cuts, fc.stringMatching(/^[ab]{0,20}$/), (text, cuts, rest) => {
      const bytes = Buffer.from(text);
      const places = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length].sort((a, b) => a - b);
      const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
      const expected = text
        .split(/[\r\n]/)
        .slice(0, -1)
        .map((line) => (line.length > MAX ? 'too long' : line))
        .filter((line) => line !== '');
      expect(split(chunks)).toEqual(expected);
      expect(split([...chunks, Buffer.from(rest)])).toEqual(rest.length > MAX ? [...expected, 'too long'] : expected);
    }),
  );
});
