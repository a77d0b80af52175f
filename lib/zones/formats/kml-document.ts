import type { ImportProblem } from './import-report.ts';

export type KmlDocument =
  | {
      readonly document: Document;
      /** Prefixes without a declaration, of which only the names after them count, with the line of the first use. */
      readonly undeclared: ReadonlyMap<string, string>;
    }
  | { readonly problems: readonly ImportProblem[] };

/**
 * A parsed KML file, or every violation of XML with its line: parsers of browsers name other causes, or none. Refuses
 * document types and entities, which can refer to files or grow without bound.
 * @param parse `DOMParser` in a browser
 */
export function kmlDocument(text: string, parse: (xml: string) => Document): KmlDocument {
  const { faults, undeclared, rootTagEnd } = new XmlScan(text).read();
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
  let message: string;
  try {
    const document = parse(text);
    const [error] = document.getElementsByTagName('parsererror');
    if (!error) return document;
    message = error.textContent ?? '';
  } catch (error) {
    message = String(error);
  }
  const [, line] = /line(?: number)?[ :]*(\d+)/i.exec(message) ?? [];
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

/** Protects the stacks of parsers. Real KML has about 20 levels. */
const DEPTH_MAX = 100;
const FAULTS_LISTED = 20;

interface XmlReading {
  /** Violations of XML 1.0, each with its line. */
  readonly faults: readonly ImportProblem[];
  /** Prefixes that no element around them declares, with the line of the first use. */
  readonly undeclared: ReadonlyMap<string, string>;
  /** Where the tag of the first element can have another attribute. */
  readonly rootTagEnd: number;
}

interface OpenElement {
  readonly name: string;
  readonly at: number;
  readonly prefixes: ReadonlySet<string>;
}

const REFERENCE = /&(?:(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-f]{1,6});|([a-z]\w{0,30});)?/iy;
const ATTRIBUTE = /([^\s=/]+)\s*=\s*("[^"]*"|'[^']*')|(\S+)/g;
/** Characters that XML 1.0 (2.2) forbids. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the forbidden ones.
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

/** Scans in linear time. */
class XmlScan {
  readonly #text: string;
  readonly #faults: ImportProblem[] = [];
  readonly #open: OpenElement[] = [];
  readonly #undeclared = new Map<string, string>();
  #rootTagEnd = -1;
  /** The next `&` of the text. */
  #reference = -1;

  constructor(text: string) {
    this.#text = text;
  }

  read(): XmlReading {
    const text = this.#text;
    const forbidden = text.search(FORBIDDEN);
    if (forbidden >= 0) {
      const code = text.charCodeAt(forbidden).toString(16).toUpperCase().padStart(4, '0');
      this.#fault(forbidden, `has the character U+${code}, which XML forbids`);
    }
    let at = 0;
    while (at < text.length && this.#faults.length < FAULTS_LISTED) {
      const tag = text.indexOf('<', at);
      this.#content(at, tag < 0 ? text.length : tag);
      if (tag < 0) break;
      const end = this.#markup(tag);
      if (end === undefined) return this.#reading();
      at = end;
    }
    const last = this.#open.at(-1);
    if (last && this.#faults.length === 0)
      this.#fault(
        text.trimEnd().length,
        `is where the file ends, while <${last.name}> of ${this.#line(last.at)} is open: it is cut short`,
      );
    return this.#reading();
  }

  #reading(): XmlReading {
    return { faults: this.#faults, undeclared: this.#undeclared, rootTagEnd: this.#rootTagEnd };
  }

  /** @returns its end; `undefined` after a fault of which others would follow */
  #markup(at: number): number | undefined {
    const text = this.#text;
    if (text.startsWith('<!--', at)) return this.#until('-->', at, 'a comment');
    if (text.startsWith('<![CDATA[', at)) return this.#until(']]>', at, 'CDATA');
    if (text.startsWith('<?', at)) return this.#until('?>', at, 'an instruction');
    if (text.startsWith('<!', at))
      return this.#fault(at, 'declares a document type or entities (<!DOCTYPE), which Lookout does not read');
    if (!/^<\/?[^\s<>&/=!?"']/.test(text.slice(at, at + 3)))
      return this.#fault(at, `has “<” that is not written as &lt;: ${this.#near(at)}`);
    const end = this.#tagEnd(at);
    if (end === undefined) return undefined;
    const tag = text.slice(at + 1, end - 1);
    return (tag.startsWith('/') ? this.#close(tag.slice(1).trim(), at) : this.#start(tag, at, end)) ? end : undefined;
  }

  #until(end: string, at: number, what: string): number | undefined {
    const found = this.#text.indexOf(end, at + 2);
    return found < 0 ? this.#fault(at, `begins ${what} without its end: the file is cut short`) : found + end.length;
  }

  #tagEnd(at: number): number | undefined {
    const mark = /[<>"']/g;
    mark.lastIndex = at + 1;
    for (let found = mark.exec(this.#text); found; found = mark.exec(this.#text)) {
      if (found[0] === '>') return found.index + 1;
      if (found[0] === '<') break;
      const quote = this.#text.indexOf(found[0], found.index + 1);
      if (quote < 0) break;
      mark.lastIndex = quote + 1;
    }
    const isCut = this.#text.indexOf('>', at) < 0;
    return this.#fault(at, `has a tag without its end: ${isCut ? 'the file is cut short' : this.#near(at)}`);
  }

  #start(tag: string, at: number, end: number): boolean {
    const isEmpty = tag.endsWith('/');
    const name = /^[^\s/]+/.exec(tag)?.[0] ?? '';
    const used = [prefixOf(name)];
    const prefixes = new Set<string>();
    const seen = new Set<string>();
    const attributes = tag.slice(name.length, isEmpty ? -1 : undefined);
    for (const [, key = '', value = '', other] of attributes.matchAll(ATTRIBUTE)) {
      if (other !== undefined || seen.has(key)) {
        this.#fault(
          at,
          `has <${name}> with ${other ? `“${other.slice(0, 40)}”, which is no attribute` : `two attributes ${key}`}`,
        );
        return false;
      }
      seen.add(key);
      if (value.includes('<')) this.#fault(at, `has “<” in the attribute ${key}, not written as &lt;`);
      if (key.startsWith('xmlns:')) prefixes.add(key.slice('xmlns:'.length));
      else if (key !== 'xmlns') used.push(prefixOf(key));
    }
    this.#references(at, end);
    for (const prefix of used)
      if (!isDeclared(prefix, prefixes, this.#open) && !this.#undeclared.has(prefix))
        this.#undeclared.set(prefix, this.#line(at));
    if (this.#undeclared.size > FAULTS_LISTED) {
      this.#fault(at, `has one more than ${FAULTS_LISTED} prefixes that are not declared: ${this.#near(at)}`);
      return false;
    }
    if (this.#open.length === 0) {
      if (this.#rootTagEnd >= 0) {
        this.#fault(at, `has <${name}> after the end of the first element`);
        return false;
      }
      this.#rootTagEnd = end - (isEmpty ? 2 : 1);
    }
    if (!isEmpty) this.#open.push({ name, at, prefixes });
    if (this.#open.length <= DEPTH_MAX) return true;
    this.#fault(at, `has elements within elements, more than ${DEPTH_MAX} levels deep`);
    return false;
  }

  #close(name: string, at: number): boolean {
    const last = this.#open.pop();
    if (last?.name === name) return true;
    this.#fault(
      at,
      last
        ? `ends </${name}> where <${last.name}> of ${this.#line(last.at)} is open`
        : `ends </${name}>, which is not open`,
    );
    return false;
  }

  #content(from: number, to: number): void {
    if (this.#open.length === 0 && to > from && this.#text.slice(from, to).trim() !== '')
      this.#fault(from, `has text outside of the first element: ${this.#near(from)}`);
    this.#references(from, to);
  }

  #references(from: number, to: number): void {
    // Found once: most texts have few.
    if (this.#reference < from) this.#reference = this.#nextReference(from);
    for (; this.#reference < to; this.#reference = this.#nextReference(this.#reference + 1)) {
      const at = this.#reference;
      REFERENCE.lastIndex = at;
      const [whole, entity] = REFERENCE.exec(this.#text) ?? ['&'];
      if (entity !== undefined && !/^(amp|lt|gt|quot|apos)$/.test(entity))
        this.#fault(at, `has ${whole}, which XML does not define (HTML does); write the character itself`);
      else if (whole === '&') this.#fault(at, `has “&” that is not written as &amp;: ${this.#near(at)}`);
      if (this.#faults.length >= FAULTS_LISTED) return;
    }
  }

  #nextReference(from: number): number {
    const at = this.#text.indexOf('&', from);
    return at < 0 ? Number.POSITIVE_INFINITY : at;
  }

  /** The text around the place, within its line. */
  #near(at: number): string {
    const before =
      this.#text
        .slice(Math.max(0, at - 10), at)
        .split('\n')
        .at(-1) ?? '';
    const [after = ''] = this.#text.slice(at, at + 20).split('\n', 1);
    return `“${`${before}${after}`.trim().toWellFormed()}”`;
  }

  #line(at: number): string {
    return `line ${this.#text.slice(0, at).split('\n').length}`;
  }

  #fault(at: number, problem: string): undefined {
    this.#faults.push({ place: this.#line(at).replace('l', 'L'), problem });
  }
}

function prefixOf(name: string): string {
  const at = name.indexOf(':');
  return at < 0 ? '' : name.slice(0, at);
}

function isDeclared(prefix: string, own: ReadonlySet<string>, open: readonly OpenElement[]): boolean {
  if (prefix === '' || prefix === 'xml' || own.has(prefix)) return true;
  return open.some(({ prefixes }) => prefixes.has(prefix));
}
