import { describe, expect, test } from 'vitest';
import { browserName } from './browser-name.ts';

describe('browserName', () => {
  test.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0',
      'Microsoft Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['', 'unknown browser'],
    [null, 'unknown browser'],
  ])('%s', (agent, name) => {
    expect(browserName(agent)).toBe(name);
  });

  test('a program’s own name is neither long nor markup', () => {
    for (const agent of [
      '<script>alert(1)</script>/1.0',
      '\u202egpj.exe/9',
      'x'.repeat(1e6),
      'a\nb/1',
      '\u001b[31mred/1',
    ])
      expect(browserName(agent)).toMatch(/^[\p{L}\p{N} ._-]{0,90}$/u);
  });
});
