import { expect, onTestFinished, test, vi } from 'vitest';
import { lightDark } from './light-dark.ts';

test('browsers without light-dark() get the variables of the compiled style sheets', () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal('CSS', { supports: () => true });
  expect(lightDark('#fff', '#000')).toBe('light-dark(#fff, #000)');
  vi.stubGlobal('CSS', { supports: () => false });
  expect(lightDark('#fff', '#000')).toBe('var(--lightningcss-light, #fff) var(--lightningcss-dark, #000)');
});
