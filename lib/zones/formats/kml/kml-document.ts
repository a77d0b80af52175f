/** Protects parsers' stacks. Real KML has about 20 levels. */
const DEPTH_MAX = 100;

export type KmlDocument = { readonly document: Document } | { readonly problem: string };

/**
 * Refuses document types and entities: they can refer to files or grow without bound.
 * @param parse only browsers have a parser
 */
export function kmlDocument(text: string, parse: (xml: string) => Document): KmlDocument {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text))
    return { problem: 'The file declares a document type or entities (<!DOCTYPE), which Lookout does not read.' };
  if (isTooDeep(text)) return { problem: `The file has elements within elements, more than ${DEPTH_MAX} levels deep.` };
  const document = parsed(text, parse);
  if (!document) return { problem: 'The file is no well-formed XML: it is damaged or cut short.' };
  if (document.documentElement?.localName !== 'kml')
    return { problem: 'The file is XML, but no KML: its first element is not <kml>.' };
  return { document };
}

function parsed(text: string, parse: (xml: string) => Document): Document | undefined {
  try {
    const document = parse(text);
    return document.getElementsByTagName('parsererror').length > 0 ? undefined : document;
  } catch {
    return undefined;
  }
}

/** Regular expressions could take quadratic time. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const end = text.startsWith('<!--', at) ? '-->' : text.startsWith('<![CDATA[', at) ? ']]>' : '>';
    const endAt = text.indexOf(end, at + 1);
    if (endAt < 0) return false;
    const isTag = end === '>' && !text.startsWith('<?', at);
    if (isTag && text[at + 1] === '/') depth -= 1;
    else if (isTag && text[endAt - 1] !== '/') depth += 1;
    if (depth > DEPTH_MAX) return true;
    at = endAt + end.length;
  }
  return false;
}
