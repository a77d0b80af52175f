import { expect, test } from 'vitest';
import { NO_ANSWER_MESSAGE, refusalMessage } from './refusal-message.ts';

test('a refusal says what the server said, and something of its own where that cannot be read', async () => {
  const said = { error: { code: 'bad_query', message: 'A replay is at most 1 h long.' }, request_id: 'r1' };
  expect(await refusalMessage(Response.json(said, { status: 400 }))).toBe('A replay is at most 1 h long.');
  expect(await refusalMessage(new Response('<html>bad gateway</html>', { status: 502 }))).toBe(NO_ANSWER_MESSAGE);
  expect(await refusalMessage(Response.json({ error: 'no' }, { status: 500 }))).toBe(NO_ANSWER_MESSAGE);
});
