import { cleanup, render, screen } from '@testing-library/react';
import { expect, onTestFinished, test } from 'vitest';
import { WallOpening } from './wall-opening.tsx';

test('takes the token out of the address before it sends it, in a body, and says why no wall opens', async () => {
  const sent: unknown[] = [];
  globalThis.fetch = async (input, { method, body, headers } = {}) => {
    sent.push([`${method} ${String(input)}`, JSON.parse(String(body)), headers, window.location.hash]);
    const error = { code: 'not_possible', message: 'You are signed in here.' };
    return Response.json({ error, request_id: 'one' }, { status: 409 });
  };
  onTestFinished(cleanup);
  window.history.pushState(null, '', '/wall#lookout_secret');
  render(<WallOpening />);
  expect((await screen.findByRole('alert')).textContent).toBe('You are signed in here.');
  const headers = { 'content-type': 'application/json' };
  expect(sent).toEqual([['POST /api/session/wall', { token: 'lookout_secret' }, headers, '']]);
  expect(window.location.href).not.toContain('secret');
});

const refusal = (status: number) => async () =>
  Response.json({ error: { code: 'not_signed_in', message: 'no token' }, request_id: 'one' }, { status });

test.each([
  ['a used address', '#lookout_secret', refusal(401), /^This address opens no wall/],
  ['an address without a token', '', refusal(401), /^This address opens no wall/],
  ['no answer', '#lookout_secret', () => Promise.reject(new TypeError('network')), /: open the address again\.$/],
])('names the way out of %s', async (_, hash, fetched, text) => {
  globalThis.fetch = fetched;
  onTestFinished(cleanup);
  window.history.pushState(null, '', `/wall${hash}`);
  render(<WallOpening />);
  expect((await screen.findByRole('alert')).textContent).toMatch(text);
});
