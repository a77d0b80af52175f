const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Controls, and what XML 1.0 (2.2) forbids: lone surrogates, U+FFFE and U+FFFF. */
const FORBIDDEN = /[^\t\n\r\u0020-\u007E\u00A0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/**
 * Text for an element or an attribute of XML, without forbidden characters. Tabs and line breaks become references,
 * because parsers replace them.
 */
export function xmlText(value: string): string {
  return value
    .replaceAll(FORBIDDEN, '')
    .replaceAll(/[&<>"\t\n\r\u2028]/g, (character) => ENTITIES[character] ?? `&#${character.charCodeAt(0)};`);
}

/** @param content XML */
export function xmlElement(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  ...content: readonly string[]
): string {
  const listed = Object.entries(attributes)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([key, value]) => ` ${key}="${xmlText(value)}"`)
    .join('');
  const inside = content.join('');
  return inside === '' ? `<${name}${listed}/>` : `<${name}${listed}>${inside}</${name}>`;
}
