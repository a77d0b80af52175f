import { expect, test } from 'vitest';
import { isReadVersion, OtherVersion, versionedLine, versionedLineText } from './file-version.ts';

test.each([
  [4, 3, 3, 'was written by a newer Lookout (version 4, this one reads 3)'],
  [255, 3, 1, 'was written by a newer Lookout (version 255, this one reads 3)'],
  [1, 3, 2, 'was written by an older Lookout (version 1, this one reads 3)'],
])('version %i of a file is another than %i, from %i on, and says which', (found, reads, oldest, words) => {
  expect(() => isReadVersion(found, reads, oldest)).toThrow(words);
});

test.each([3, 2])('version %i is read by one that reads 2 and 3', (found) => {
  expect(isReadVersion(found, 3, 2)).toBe(true);
});

test.each([-1, 256, 1.5, Number.NaN, '4', undefined])('%s is no version, but damage', (found) => {
  expect(isReadVersion(found, 3)).toBe(false);
});

test('the sentence names the file and what to do', () => {
  expect(new OtherVersion(2, 1).text('/data/a', 'start that one')).toBe(
    '/data/a was written by a newer Lookout (version 2, this one reads 1): start that one.',
  );
});

test('a line has its version before it, and one of the time before versions is read as it is', () => {
  expect(versionedLine(1, 'abc')).toBe('1:abc\n');
  expect(versionedLineText('1:abc\n', 1)).toBe('abc');
  expect(versionedLineText('abc\n', 1)).toBe('abc');
  expect(versionedLineText('2026-10-01T00:00:00Z\n', 1)).toBe('2026-10-01T00:00:00Z');
  expect(() => versionedLineText('2:abc\n', 1)).toThrow(OtherVersion);
  expect(versionedLineText('999:abc\n', 1)).toBe('999:abc');
});
