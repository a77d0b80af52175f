import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { proseBlocks, sentencesOf } from './prose-blocks.ts';

const inModule = (source: string) => proseBlocks('a.tsx', source).map(({ line, text }) => [line, text]);
const inDocument = (source: string) => proseBlocks('a.md', source).map(({ line, text }) => [line, text]);

describe('the prose of a module', () => {
  test('is its comments, by paragraph, list item and tag', () => {
    const source = `/**
 * Reads a file.
 *
 * - one item
 * @param name of the file
 * @returns its text
 */
const a = 1; // after code`;
    expect(inModule(source)).toEqual([
      [2, 'Reads a file.'],
      [4, 'one item'],
      [5, 'of the file'],
      [6, 'its text'],
      [8, 'after code'],
    ]);
  });

  test('joins adjacent line comments, and leaves out directives', () => {
    expect(inModule('// One\n// text.\n\n// Another.\n// biome-ignore lint: a reason\nlet x;')).toEqual([
      [1, 'One\n text.'],
      [4, 'Another.'],
    ]);
  });

  test('is its strings of three words, by line, and texts of JSX', () => {
    expect(inModule('const a = ["name", `one $' + '{two} three four\nlast line here`];')).toEqual([
      [1, 'one CODE three four'],
      [2, 'last line here'],
    ]);
    expect(inModule('const a = <p>\n  Text that is\n  shown.\n</p>;')).toEqual([[2, 'Text that is shown.']]);
  });

  test('takes a test’s title for a sentence, and other strings without a full stop for labels', () => {
    const [title, label] = proseBlocks('a.ts', "test('what is read is kept', () => {}); say('what is read here');");
    expect(title).toEqual({ line: 1, text: 'What is read is kept', isLabel: false });
    expect(label).toMatchObject({ isLabel: true });
  });
});

describe('the prose of a document', () => {
  test('is its headings, paragraphs, items and cells, without code', () => {
    const source =
      '# Title\n\nText with `code`\nand [a link](b.md).\n\n- item\n\n| a | b |\n|---|---|\n| c | d |\n\n    code\n';
    expect(inDocument(source).filter(([, text]) => /\w/.test(String(text)))).toEqual([
      [1, 'Title'],
      [3, 'Text with CODE\nand a link.'],
      [6, 'item'],
      [8, 'a'],
      [8, 'b'],
      [10, 'c'],
      [10, 'd'],
    ]);
  });
});

describe('sentences', () => {
  test('end at full stops, but not inside of names, numbers and abbreviations', () => {
    expect(sentencesOf('Waits 1.5 s. Then reads\n`a.b()`. For example (e.g. a mark) in front.ts is one.')).toEqual([
      'Waits 1.5 s.',
      'Then reads CODE.',
      'For example (e.g. a mark) in front.ts is one.',
    ]);
  });

  test('are the whole text', () => {
    const word = fc.constantFrom('Word', 'it', 'ends.', '5', 's.', 'e.g.', '“Quoted”', 'Why?', 'A.', '(in', 'it)');
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), (words) => {
        expect(sentencesOf(words.join(' ')).join('').replace(/\s/g, '')).toBe(words.join(''));
      }),
    );
  });
});
