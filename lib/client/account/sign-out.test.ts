import { afterEach, expect, test, vi } from 'vitest';
import { signOut } from './sign-out.ts';

afterEach(() => vi.unstubAllGlobals());

const answers = (answer: () => Promise<Response>) => {
  const fetches = vi.fn(answer);
  vi.stubGlobal('fetch', fetches);
  return fetches;
};

test('ends the session, and takes one that has ended already as ended', async () => {
  const fetches = answers(async () => new Response(null, { status: 204 }));
  await signOut();
  expect(fetches.mock.calls).toMatchObject([['/api/session', { method: 'DELETE' }]]);
  answers(async () =>
    Response.json({ error: { code: 'not_signed_in', message: '' }, request_id: '1' }, { status: 401 }),
  );
  await signOut();
});

test('rejects without an answer: the session may still be open', async () => {
  answers(() => Promise.reject(new TypeError('fetch failed')));
  await expect(signOut()).rejects.toMatchObject({ kind: 'unreachable' });
});
