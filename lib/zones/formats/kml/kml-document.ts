import type { ImportProblem } from '../import-result.ts';
import { readXml } from './xml-faults.ts';

export type KmlDocument =
  | {
      readonly document: Document;
      /** Prefixes without a declaration, of which only the names after them count, with the line of the first use. */
      readonly undeclared: ReadonlyMap<string, string>;
    }
  | { readonly problems: readonly ImportProblem[] };

/** @param parse only browsers have a parser */
export function kmlDocument(text: string, parse: (xml: string) => Document): KmlDocument {
  const { faults, undeclared, rootTagEnd } = readXml(text);
  if (faults.length > 0) return { problems: faults };
  const declarations = Array.from(undeclared.keys(), (prefix) => ` xmlns:${prefix}="undeclared:${prefix}"`).join('');
  const document = parsed(`${text.slice(0, rootTagEnd)}${declarations}${text.slice(rootTagEnd)}`, parse);
  if ('problem' in document) return { problems: [document] };
  const root = document.documentElement?.localName;
  return root === 'kml'
    ? { document, undeclared }
    : { problems: [{ place: 'The file', problem: `is XML, but no KML: its first element is <${root}>, not <kml>` }] };
}

function parsed(text: string, parse: (xml: string) => Document): Document | ImportProblem {
  let told: string;
  try {
    const document = parse(text);
    const [error] = document.getElementsByTagName('parsererror');
    if (!error) return document;
    told = error.textContent ?? '';
  } catch (error) {
    told = String(error);
  }
  const [, line] = /line(?: number)?[ :]*(\d+)/i.exec(told) ?? [];
  return { place: line ? `Line ${line}` : 'The file', problem: 'is no well-formed XML' };
}

/** Such as `2 photos`, of elements by their names for operators in the plural. */
export function countsOf(document: Document, names: Readonly<Record<string, string>>): string[] {
  return Object.entries(names).flatMap(([element, what]) => {
    const count = document.getElementsByTagNameNS('*', element).length;
    if (count === 0) return [];
    return `${count} ${count === 1 ? what.replace(/s( |$)/, '$1') : what}`;
  });
}
