import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { returnPath } from './return-path.ts';

const home = 'https://lookout.example';

describe('returnPath', () => {
  test('keeps a path on this origin with its query and fragment', () => {
    expect(returnPath('/?view=47.1,8.4,9&layers=rid&sel=X-A-1#x')).toBe('/?view=47.1,8.4,9&layers=rid&sel=X-A-1#x');
  });

  test.each([
    undefined,
    null,
    '',
    'evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/..//evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2e%2e//evil.example',
    '/\u0000/evil.example',
    '/\u0085//evil.example',
    'http:/evil.example',
    '/a\r\nSet-Cookie: x=1',
  ])('replaces %j by the start page', (requested) => {
    expect(returnPath(requested)).toBe('/');
  });

  test('the result always stays on this origin, and is a fixed point', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2f',
      '%5c',
      '@',
      ':',
      '?',
      '#',
      '\t',
      'evil.example',
      'http',
      'ü',
      ' ',
    );
    const hostile = fc.oneof(
      fc.array(piece, { maxLength: 10 }).map((parts) => parts.join('')),
      fc.array(piece, { maxLength: 10 }).map((parts) => `/${parts.join('')}`),
      fc.string(),
    );
    fc.assert(
      fc.property(hostile, (requested) => {
        const path = returnPath(requested);
        expect(path).toMatch(/^\/(?![/\\])/);
        expect(new URL(path, `${home}/sign-in`).origin).toBe(home);
        expect(returnPath(path)).toBe(path);
      }),
      { numRuns: 2000 },
    );
  });
});
