import { expect, test } from 'vitest';
import { NO_ANSWER_MESSAGE, refusalMessage } from './refusal-message.ts';

test('returns the server’s message, or a default if there is none', async () => {
  const body = { error: { code: 'bad_query', message: 'A replay is at most 1 h long.' }, request_id: 'r1' };
  expect(await refusalMessage(Response.json(body, { status: 400 }))).toBe('A replay is at most 1 h long.');
  expect(await refusalMessage(new Response('<html>bad gateway</html>', { status: 502 }))).toBe(NO_ANSWER_MESSAGE);
  expect(await refusalMessage(Response.json({ error: 'no' }, { status: 500 }))).toBe(NO_ANSWER_MESSAGE);
});
