import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SHORT_NAME_MAX_LENGTH } from '#lib/text/plain-line.ts';
import { parseAddress } from './address-state.ts';
import { newViewSchema, viewChangeSchema } from './saved-view.ts';

const query = '?view=47,8,9';
const nameOf = (name: string) => newViewSchema.safeParse({ name, query }).data?.name;
const queryOf = (text: string) => newViewSchema.safeParse({ name: 'x', query: text }).data?.query;
const anyText = fc.string({ unit: 'binary', maxLength: 100 });

describe('the name of a view', () => {
  test('an accepted name is short, trimmed, on one line, and accepted again unchanged', () => {
    const accepted: string[] = [];
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: 'grapheme', maxLength: 90 })), (text) => {
        const name = nameOf(text);
        if (name === undefined) return;
        accepted.push(name);
        const { length } = [...name];
        const isPlain =
          name === name.trim() && length >= 1 && length <= SHORT_NAME_MAX_LENGTH && !/[\p{Cc}]/u.test(name);
        if (!isPlain || nameOf(name) !== name) throw new Error(JSON.stringify(name));
      }),
    );
    expect(accepted.length).toBeGreaterThan(0);
  });

  test.each([
    ['  North   gate ', 'North gate'],
    ['Zu\u0308rich', 'Zürich'],
    ['a'.repeat(80), 'a'.repeat(80)],
    ['🛩'.repeat(80), '🛩'.repeat(80)],
  ])('%j is kept as %j', (text, name) => expect(nameOf(text)).toBe(name));

  test.each([
    '',
    '   ',
    'a'.repeat(81),
    '🛩'.repeat(81),
    'two\nlines',
    'tab\there',
    'evil\u202Etxt',
    '\u0000',
    '\uD800',
  ])('%j is refused', (text) => expect(nameOf(text)).toBeUndefined());
});

describe('the query of a view', () => {
  test('an accepted query opens with all its parameters, and is accepted again unchanged', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('view', 'layers', 'sel', 'alt', 'x'), fc.oneof(anyText, fc.constant('47,8,9'))),
        (parameters) => {
          const kept = queryOf(`?${new URLSearchParams(parameters)}`);
          if (kept === undefined) return;
          if (parseAddress(kept).ignored.length > 0 || queryOf(kept) !== kept || !kept.startsWith('?'))
            throw new Error(kept);
        },
      ),
    );
    expect(queryOf('view=47.0,8.00,9')).toBe('?view=47,8,9');
  });

  test.each([
    '',
    '?',
    'https://evil.example/?view=47,8,9',
    '//evil.example',
    'javascript:alert(1)',
    '?view=47,8,9&next=//evil.example',
    '?view=NaN,8,9',
    '?view=47,8,9&view=47,8,9',
    '?view=1e308,8,9',
    `?sel=${'A'.repeat(5000)}`,
  ])('%j is refused', (text) => expect(queryOf(text)).toBeUndefined());
});

test('a change says what it changes, and nothing else', () => {
  expect(viewChangeSchema.safeParse({}).success).toBe(false);
  expect(viewChangeSchema.safeParse({ owner: 'somebody' }).success).toBe(false);
  expect(viewChangeSchema.parse({ shared: true })).toEqual({ shared: true });
});
