const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Without controls, and without what XML 1.0 (2.2) forbids: lone surrogates, U+FFFE and U+FFFF. */
export function allowedInXml(value: string): string {
  return value.replaceAll(/[^\t\n\r\u0020-\u007E\u00A0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');
}

/** Tabs and line breaks as references: parsers replace them. */
export function escapedForXml(value: string): string {
  return allowedInXml(value).replaceAll(
    /[&<>"\t\n\r\u2028]/g,
    (character) => ESCAPED[character] ?? `&#${character.charCodeAt(0)};`,
  );
}

/** @param content XML */
export function xmlElement(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  ...content: readonly string[]
): string {
  const listed = Object.entries(attributes)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([key, value]) => ` ${key}="${escapedForXml(value)}"`)
    .join('');
  const inside = content.join('');
  return inside === '' ? `<${name}${listed}/>` : `<${name}${listed}>${inside}</${name}>`;
}
