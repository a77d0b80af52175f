import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wrapText } from './take-picture.ts';

test('no word is lost, and only a word that is wider than the line makes a line wider', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1 }),
      fc.integer({ min: 1, max: 30 }),
      (words, width) => {
        const lines = wrapText(words.join(' '), width, (text) => text.length);
        expect(lines.join(' ')).toBe(words.join(' '));
        expect(lines.filter((line) => line.length > width && line.includes(' '))).toEqual([]);
      },
    ),
  );
});
