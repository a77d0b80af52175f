import { expect, test } from 'vitest';
import { NO_ANSWER_WORDS, refusalWords } from './refusal-words.ts';

test('a refusal says what the server said, and something of its own where that cannot be read', async () => {
  const said = { error: { code: 'bad_query', message: 'A replay is at most 1 h long.' }, request_id: 'r1' };
  expect(await refusalWords(Response.json(said, { status: 400 }))).toBe('A replay is at most 1 h long.');
  expect(await refusalWords(new Response('<html>bad gateway</html>', { status: 502 }))).toBe(NO_ANSWER_WORDS);
  expect(await refusalWords(Response.json({ error: 'no' }, { status: 500 }))).toBe(NO_ANSWER_WORDS);
});
