import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { BROWSER_CHECK, oldestBrowsersText } from './browser-check.ts';

const SUPPORTED = {
  structuredClone,
  ResizeObserver: class {},
  AbortSignal,
  CSS: { supports: () => true },
  DecompressionStream: class {},
  CompressionStream: class {},
};

function writtenBy(found: object): string {
  let written = '';
  const window = { ...found };
  runInNewContext(BROWSER_CHECK, { ...window, window, document: { write: (text: string) => (written += text) } });
  return written;
}

test('a browser that has all that the page needs is left alone', () => {
  expect(writtenBy(SUPPORTED)).toBe('');
});

test.each(Object.keys(SUPPORTED))('a browser without %s is named the versions that are needed', (name) => {
  const written = writtenBy({ ...SUPPORTED, [name]: undefined });
  expect(written).toMatch(/Lookout needs a newer browser: Chrome or Edge \d+, Firefox \d+, or Safari [\d.]+\./);
});

test('the versions are those of package.json', () => {
  const list = ['chrome >= 111', 'edge >= 111', 'firefox >= 128', 'safari >= 16.4', 'ios_saf >= 16.4'];
  expect(oldestBrowsersText(list)).toBe('Chrome or Edge 111, Firefox 128, or Safari 16.4');
});
