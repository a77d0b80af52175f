import { toString as textOf } from 'nlcst-to-string';
import { parseSync, Visitor } from 'oxc-parser';
import remarkParse from 'remark-parse';
import retextEnglish from 'retext-english';
import { unified } from 'unified';

/** A paragraph, a table's cell, a comment or one of its tags, or a line of a string. */
export interface ProseBlock {
  readonly line: number;
  readonly text: string;
  /** Headings, and strings without a full stop, may be phrases. */
  readonly isLabel: boolean;
}

const markdown = unified().use(remarkParse).freeze();
const english = unified().use(retextEnglish).freeze();
const CODE = 'CODE';
/** retext takes the unit of “2 s. Later” for an initial. */
const AFTER_UNIT = /(?<=\d ?\S{0,2}\.) (?=\p{Lu})/u;
const DIRECTIVE = /^\s*(biome-|@ts-|eslint|\/ <)/;
const BLOCK_START =
  /(\n\s*(?:[-*]|\d+\.)\s+|\n\s*\n|\n {3,}|(?:^|\s)@(?:param\s+\S+|returns|throws(?:\s+[A-Z]\w+)?|default|see)\s*)/;
const THREE_WORDS = /\p{L}{2,}[^\p{L}]+\p{L}+[^\p{L}]+\p{L}/u;
const TEST = /^(?:it|test)\b/;

interface Node {
  readonly type: string;
  readonly value?: string | undefined;
  readonly alt?: string | null | undefined;
  readonly children?: readonly Node[];
  readonly position?: { readonly start: { readonly line: number } } | undefined;
}

export function proseBlocks(file: string, source: string): readonly ProseBlock[] {
  return file.endsWith('.md') ? documentBlocks(source) : moduleBlocks(file, source);
}

export function sentencesOf(text: string): readonly string[] {
  const plain = text
    .replace(/`[^`]*`/g, CODE)
    .replace(/\s+/g, ' ')
    .trim();
  return plain.split(AFTER_UNIT).flatMap((part) => (/[.!?]\s/.test(part) ? englishSentences(part) : [part]));
}

function englishSentences(text: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: Node) => {
    if (node.type === 'SentenceNode') found.push(textOf(node as Parameters<typeof textOf>[0]));
    else node.children?.forEach(visit);
  };
  visit(english.parse(text));
  return found;
}

function documentBlocks(source: string): readonly ProseBlock[] {
  const blocks: ProseBlock[] = [];
  const visit = (node: Node) => {
    const { type, children = [], position } = node;
    if (type !== 'paragraph' && type !== 'heading') return children.forEach(visit);
    // Without GFM, a table is a paragraph with its bars.
    const rows = inlineText(node).split(/\n(?=\|)/);
    for (const [index, row] of rows.entries()) {
      const line = (position?.start.line ?? 1) + index;
      for (const text of row.startsWith('|') ? row.split('|') : [row])
        blocks.push({ line, text: text.trim(), isLabel: type === 'heading' });
    }
  };
  visit(markdown.parse(source));
  return blocks;
}

function inlineText({ type, value, alt, children = [] }: Node): string {
  if (type === 'inlineCode') return CODE;
  return type === 'html' ? '' : (value ?? alt ?? children.map(inlineText).join(''));
}

function moduleBlocks(file: string, source: string): readonly ProseBlock[] {
  const { comments, program } = parseSync(file, source);
  const lineOf = lineFinder(source);
  const blocks: ProseBlock[] = [];
  let run: { text: string; readonly start: number; end: number } | undefined;
  const end = () => {
    if (run) addBlocks(blocks, lineOf(run.start), run.text);
    run = undefined;
  };
  for (const { type, value, start, end: to } of comments) {
    if (DIRECTIVE.test(value)) continue;
    // Comments without code between them are one text.
    if (type === 'Line' && run && !/\S/.test(source.slice(run.end, start))) {
      run.text += source.slice(run.end, start).replace(/[^\n]/g, '') + value;
      run.end = to;
      continue;
    }
    end();
    if (type === 'Line') run = { text: value, start, end: to };
    else addBlocks(blocks, lineOf(start), value.replace(/^[ \t]*\*/gm, ''));
  }
  end();
  const titles = new Set<number>();
  const addString = (start: number, string: string) => {
    const isTitle = titles.has(start);
    for (const [row, text] of string.split('\n').entries()) {
      if (!THREE_WORDS.test(text)) continue;
      const line = lineOf(start) + row;
      if (isTitle) blocks.push({ line, text: text.charAt(0).toUpperCase() + text.slice(1), isLabel: false });
      else blocks.push({ line, text, isLabel: !text.trimEnd().endsWith('.') });
    }
  };
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      if (title && TEST.test(source.slice(callee.start, callee.end))) titles.add(title.start);
    },
    Literal({ value, start }) {
      if (typeof value === 'string') addString(start, value);
    },
    TemplateLiteral({ quasis, start }) {
      addString(start, quasis.map(({ value }) => value.cooked ?? '').join(CODE));
    },
    JSXText({ value, start }) {
      addString(start + value.search(/\S|$/), value.replace(/\s+/g, ' ').trim());
    },
  }).visit(program);
  return blocks;
}

function addBlocks(blocks: ProseBlock[], line: number, comment: string): void {
  let at = line;
  for (const [index, text] of comment.split(BLOCK_START).entries()) {
    const leading = /^\s*/.exec(text)?.[0] ?? '';
    if (index % 2 === 0 && /\p{L}{2}/u.test(text))
      blocks.push({ line: at + linesIn(leading), text: text.trim(), isLabel: false });
    at += linesIn(text);
  }
}

const linesIn = (text: string) => text.split('\n').length - 1;

export function lineFinder(source: string): (offset: number) => number {
  const ends = [...source.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
