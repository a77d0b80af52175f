import data from '@mdn/browser-compat-data' with { type: 'json' };
import { expect, test } from 'vitest';
import { oldestBrowsers, supportedDom } from './browser-support.ts';

const OLDEST = oldestBrowsers(['chrome >= 111', 'edge >= 111', 'firefox >= 128', 'safari >= 16.4', 'ios_saf >= 16.4']);
const supported = (types: string) => supportedDom(types, data, OLDEST);

test.each([
  [
    'a method',
    'interface Element {',
    '    checkVisibility(options?: Options): boolean;',
    '    checkVisibility?(options?: Options): boolean;',
  ],
  [
    'a static method',
    'declare var URL: {',
    '    canParse(url: string): boolean;',
    '    canParse?(url: string): boolean;',
  ],
  [
    'an iterator',
    'interface ReadableStream<R = any> {',
    '    [Symbol.asyncIterator](): R;',
    '    [Symbol.asyncIterator]?(): R;',
  ],
  ['a property of a mixin', 'interface NavigatorGPU {', '    readonly gpu: GPU;', '    readonly gpu?: GPU;'],
])('%s that a supported browser lacks is optional', (_, head, member, optional) => {
  const user = 'interface Navigator extends NavigatorGPU, NavigatorID {\n}\n';
  expect(supported(`${user}${head}\n${member}\n}`)).toBe(`${user}${head}\n${optional}\n}`);
});

test('a global that a supported browser lacks may be undefined', () => {
  expect(supported('declare function requestIdleCallback(callback: Idle): number;')).toBe(
    'declare var requestIdleCallback: ((callback: Idle) => number) | undefined;',
  );
  expect(supported('declare var EyeDropper: {\n    new(): EyeDropper;\n};')).toBe(
    'declare var EyeDropper: {\n    new(): EyeDropper;\n} | undefined;',
  );
});

test('a feature of all supported browsers stays as it is', () => {
  const types = [
    ...['interface Element {', '    closest(selector: string): Element | null;', '}'],
    ...['declare var AbortSignal: {', '    timeout(milliseconds: number): AbortSignal;', '};'],
    ...['declare function fetch(input: string): Promise<Response>;', 'declare var name: string;'],
  ].join('\n');
  expect(supported(types)).toBe(types);
});

test('a list in other words is refused', () => {
  expect(() => oldestBrowsers(['last 2 versions'])).toThrow('last 2 versions');
});
