import { DOMParser } from '@xmldom/xmldom';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { xmlElement, xmlText } from './xml.ts';

const hostile = ['\r\n', '\t', '\u0000', ']]>', '<', '&amp;', '"', '\u001B[2J', '\uD800', '\uFFFE', '\u0085', '\u2028'];
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(fc.constantFrom(...hostile), fc.string({ maxLength: 3 }))).map((parts) => parts.join('')),
);
const allowed = (text: string) =>
  text.replaceAll(/[^\t\n\r\u0020-\u007E\u00A0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');

test('a parser reads every text back, in elements and in attributes, without forbidden characters', () => {
  fc.assert(
    fc.property(anyText, anyText, (inside, attribute) => {
      const xml = xmlElement('a', { b: attribute }, xmlElement('c', {}, xmlText(inside)));
      const { documentElement } = new DOMParser({
        onError: (level, message) => level !== 'warning' && expect.fail(message),
      }).parseFromString(xml, 'text/xml');
      expect(documentElement?.getAttribute('b')).toBe(allowed(attribute));
      expect(documentElement?.textContent).toBe(allowed(inside));
    }),
  );
});
