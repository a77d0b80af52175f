import { describe, expect, test } from 'vitest';
import { brokenRules } from './prose-rules.ts';

const broken = (sentence: string, isLabel = false) => brokenRules(sentence, isLabel).map(({ name }) => name);
const words = (count: number) => Array(count).fill('word').join(' ');

describe('a rule', () => {
  test.each([
    ['What was read for viewers is forgotten.', 'clause as subject'],
    ['Who is removed is out at once.', 'clause as subject'],
    ['Sent again for whoever missed it.', 'no role'],
    ['The page is told the time.', 'told or asked'],
    ['Polls pass beside Next.', 'beside'],
    ['The catalogue is made anew.', 'translated word'],
    ['Stored as it came.', 'as it stands'],
    ['How they stand is unknown.', 'as it stands'],
    [`${words(31)}.`, 'long sentence'],
  ])('refuses “%s”', (sentence, name) => {
    expect(broken(sentence)).toEqual([name]);
  });

  test.each([
    'Snapshots expire.',
    'What is the age of this picture?',
    'Users who have a passkey sign in without a password.',
    'The loads that an operator asked for.',
    'Served as it was sent.',
    `${words(30)} — 5.`.replace(' 5', ''),
  ])('accepts “%s”', (sentence) => {
    expect(broken(sentence)).toEqual([]);
  });

  test('lets labels be clauses, but names their other problems', () => {
    expect(broken('What the marks mean', true)).toEqual([]);
    expect(broken('Sign in as somebody else', true)).toEqual(['no role']);
  });
});
