import { expect, test } from 'vitest';
import { ignoredText } from './ignored-text.ts';

test('names the value in which a link was cut once, apart from what else was ignored', () => {
  const text = ignoredText(['speeed', 'to'], 'to=2026-11-26T14:2');
  expect(text.match(/to=2026-11-26T14:2/g)).toHaveLength(1);
  expect(text).toMatch(/speeed\.$/);
  expect(ignoredText(['x'], undefined)).not.toContain('“');
  expect(ignoredText([], 'sel=AB-A-0')).toContain('“sel=AB-A-0”');
});
