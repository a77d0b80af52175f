import { cleanup, render, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { ErrorBoundary } from 'react-error-boundary';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SignInForm, type SignInFormProps } from './sign-in-form.tsx';
import { COOKIES_NEEDED } from './sign-in-text.ts';

function showForm(
  answers: readonly Response[],
  {
    next = '',
    keepsCookie = true,
    ...props
  }: Partial<SignInFormProps> & { readonly next?: string; readonly keepsCookie?: boolean } = {},
) {
  const left = [...answers];
  const bodies: unknown[] = [];
  globalThis.fetch = async (_, init) => {
    if (init?.method === undefined) return keepsCookie ? Response.json({}) : refused(401, 'signed_out');
    bodies.push(JSON.parse(String(init.body)));
    return left.shift() ?? Promise.reject(new TypeError('fetch failed'));
  };
  window.history.replaceState(null, '', `/sign-in${next === '' ? '' : `?next=${encodeURIComponent(next)}`}`);
  // Ends the action: a pending one would hold up the transitions of all later tests.
  const goesTo = vi.spyOn(window.location, 'assign').mockImplementation(() => {
    throw new Error('the page was left');
  });
  onTestFinished(() => {
    cleanup();
    goesTo.mockRestore();
    window.history.replaceState(null, '', '/');
  });
  render(
    <ErrorBoundary fallback={null}>
      <SignInForm passkeyOrigin={undefined} requirePasskeys={false} {...props} />
    </ErrorBoundary>,
    { onCaughtError: () => undefined },
  );
  const user = userEvent.setup();
  const screen = within(document.body);
  return {
    screen,
    user,
    bodies,
    paths: () => goesTo.mock.calls.map(([path]) => path),
    refusal: () => screen.getByRole('alert').textContent,
    name: () => screen.getByLabelText<HTMLInputElement>('Name'),
    submits: async (password = 'a password') => {
      await user.clear(screen.getByLabelText('Name'));
      await user.type(screen.getByLabelText('Name'), 'tower');
      await user.type(screen.getByLabelText('Password'), `${password}{Enter}`);
    },
  };
}

const refused = (status: number, code: string, headers = {}) =>
  Response.json({ error: { code, message: 'A sentence for logs.' }, request_id: '1' }, { status, headers });
const signedIn = () => new Response(null, { status: 204 });

test('a refused sign-in keeps the name and gives the reason; the next one leads to the requested page', async () => {
  const { refusal, submits, name, bodies, paths } = showForm([refused(401, 'sign_in_refused'), signedIn()], {
    next: '/?view=47.2,8.6,8&layers=rid',
  });
  await submits('wrong');
  await expect.poll(refusal).toBe('This name and password are not accepted.');
  expect(name().value).toBe('tower');
  expect(paths()).toEqual([]);
  await submits();
  await expect.poll(paths).toEqual(['/?view=47.2,8.6,8&layers=rid']);
  expect(bodies.at(-1)).toMatchObject({ name: 'tower', kept: false });
});

test('asks to be kept signed in only if chosen', async () => {
  const { screen, user, submits, bodies, paths } = showForm([signedIn()]);
  await user.click(screen.getByRole('checkbox', { name: 'Keep me signed in' }));
  await submits();
  await expect.poll(paths).toEqual(['/']);
  expect(bodies).toMatchObject([{ kept: true }]);
});

test.each(['//evil.example', '/\\evil.example', 'https://evil.example/', 'javascript:alert(1)'])(
  'a forged next of %s leads to the start page',
  async (next) => {
    const { submits, paths } = showForm([signedIn()], { next });
    await submits();
    await expect.poll(paths).toEqual(['/']);
  },
);

test('too many attempts show the wait, and a server that is gone says so', async () => {
  const { refusal, submits } = showForm([refused(429, 'too_many_attempts', { 'retry-after': '8' })]);
  await submits();
  await expect.poll(refusal).toBe('Too many attempts. Try again in 8 s.');
  await submits();
  await expect.poll(refusal).toBe('No answer from Lookout’s own server. Try again.');
});

test('a browser that keeps no cookie gets the reason, and does not return to this form', async () => {
  const { refusal, submits, paths } = showForm([signedIn()], { keepsCookie: false });
  await submits();
  await expect.poll(refusal).toBe(COOKIES_NEEDED);
  expect(paths()).toEqual([]);
});

test('passkeys are offered at their own address, and named elsewhere', async () => {
  const { screen } = showForm([], { passkeyOrigin: window.location.origin });
  expect(await screen.findByRole('button', { name: 'Use a passkey' })).toBeTruthy();
  cleanup();
  const elsewhere = showForm([], { passkeyOrigin: 'https://lookout.example', requirePasskeys: true });
  await expect.poll(() => elsewhere.screen.queryByRole('button', { name: 'Use a passkey' })).toBeNull();
  expect(elsewhere.screen.getByRole('link', { name: 'https://lookout.example' }).getAttribute('href')).toBe(
    'https://lookout.example/sign-in',
  );
  expect(elsewhere.screen.getByText(/^Passkeys are required here/)).toBeTruthy();
});
