import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { HELP_TOPICS, isFound } from './help-topics.ts';
import { topicOfPath } from './topic-of-path.ts';

test('every page but the map opens the help at a topic that the help has', () => {
  const pages = readdirSync('app', { recursive: true, encoding: 'utf8' })
    .filter((file) => path.basename(file) === 'page.tsx' && file !== 'page.tsx')
    .map((file) => `/${path.dirname(file)}`);
  expect(pages.length).toBeGreaterThan(4);
  const topics = HELP_TOPICS.map(({ id }) => id as string);
  for (const page of pages) expect(topics, page).toContain(topicOfPath(page));
  expect(topicOfPath('/')).toBeUndefined();
});

test('a search finds texts that have all of its words, in any order', () => {
  expect(isFound('zone PERMIT', 'Permits', 'A permit lets known traffic fly in a zone.')).toBe(true);
  expect(isFound('', 'Permits')).toBe(true);
  expect(isFound('permit balloon', 'Permits')).toBe(false);
});
